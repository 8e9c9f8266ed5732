"""Words of the field by theme: each changes what is to be computed, so that a reader has to know it or to refuse.

A word that stands here and that a reader neither lists among its own nor has read as a part of something is a condition
or a wish that the reader cannot fulfil. Everything else is English, on which no physics hangs; see `leftover`.
"""

from __future__ import annotations

PROCESSES = frozenset(
    """
    absorption annihilation backaction backscattering chirp chirped collapse crosstalk damping damped dark-count
    decay decays decayed decaying decoherence decohere dephase dephased dephases dephasing depolarise depolarised
    depolarises depolarising depolarize depolarized depolarizing diffusion dissipation dissipative dissipator
    drift emission excitation feedback feedforward flip flips fluctuation fluctuations fluctuating heating hopping
    inhomogeneous jitter kick kicked kicks leakage leak leaks loss losses lossy modulated modulation noise noisy
    overrotation over-rotation pump pumped pumping quench quenched quenches ramp ramped ramps radiative readout
    recombination relaxation relax relaxes relaxing reset resets scattering sink squeezed squeezing thermalise
    thermalised thermalization thermalisation trap trapped trapping tunnelling tunneling unravelling unraveling
    """.split()
)
SURROUNDINGS = frozenset(
    """
    bath baths brownian cavity continuum environment fock fermi lorentzian markovian memory non-markovian ohmic
    sub-ohmic super-ohmic phonon phonons photon photons reservoir reservoirs resonator solvent spin-boson
    substrate surface underdamped vacuum vibration vibrational vibronic waveguide voltage bias electrode lead
    leads
    """.split()
)
SHAPES = frozenset(
    """
    anisotropic anisotropy bilayer cylinder cylindrical cubic dimerised dimerized disorder disordered frustrated
    honeycomb impurity impurities defect defects vacancy vacancies inhomogeneity kagome ladder lattice long-range
    next-nearest plaquette quasiperiodic spin-1 spin-3/2 square-lattice staggered three-dimensional tilt tilted
    triangular two-dimensional twisted infinite semi-infinite random randomly stochastic incommensurate hexagonal
    subspace subspaces tetrahedral random-field bond-alternating periodic open
    """.split()
)
COUPLINGS = frozenset(
    """
    anharmonic anharmonicity attractive coulomb dipolar dzyaloshinskii-moriya electric four-body hyperfine kerr
    longitudinal magnetic nonlinear non-hermitian nonlocal power-law spin-orbit three-body three-spin transverse
    zeeman stark quadrupolar relativistic off-resonant counter-rotating counterrotating bichromatic two-photon
    multi-photon parametric time-dependent adiabatic diabatic avoided optical
    """.split()
)
MATTER = frozenset(
    """
    boson bosons bosonic cluster doped doping electron electrons fermion fermions fermionic hole holes isotope
    qutrit qudit triplet singlet molecule molecules polymer crystal crystalline solid superconductor hydrogen
    adatom protein nanotube graphene perovskite
    """.split()
)
METHODS = frozenset(
    """
    adapt-vqe ansatz annealing autoencoder bayesian bloch-redfield bootstrap casci caspt2 casscf cc2 ccsd
    chebyshev coarse-grained cluster-expansion crab cumulant density-functional dft dmrg doublet ensemble eom
    extrapolate extrapolated extrapolation floquet gan genetic goat grape hartree-fock heom hierarchy idmrg
    interferometry itebd krotov krylov lanczos langevin lindblad magnus mean-field metropolis mitigate mitigated
    mitigation monte-carlo mcwf mps mrci neural nmr ohmic-bath peps perturbation perturbative postselect
    post-select postselected postselection purification qaoa qpe quasiparticle redfield reinforcement
    renormalisation runge-kutta semiclassical shadow shadows stochastic suzuki t-dmrg tdvp tebd tomography
    trajectory trajectories trotter twirl twirled twirling unscented variational vqe vqd wavepacket wigner husimi
    weyl kraus polaron surface-hopping surface-code error-correction stabiliser-code teleport teleportation
    steering grover shor benchmarking randomised-benchmarking randomized-benchmarking adiabatically
    dynamical-decoupling decoupling cpmg spectroscopy ramsey echo rabi swap-test
    """.split()
)
PROGRAMS = frozenset(
    """
    braket cirq cuda-q cudaq dynamiqs gaussian16 itensor jax julia matlab mathematica numpy nwchem orca pennylane
    projectq psi4 pyscf pytket pytorch qiskit quest quimb qulacs qutip qutip-qtrl scipy stim strawberryfields
    tenpy tensorflow tequila tket turbomole vasp
    """.split()
)
OTHERS = frozenset(
    """
    canonical chiral correlated detuning driven excited finite-temperature flux frustration kinetic laser mobility
    oscillator powder robust robustness static calibrated error-mitigated error-mitigation laser pulse pulses
    field fields shots
    """.split()
)
QUANTITIES = frozenset(
    """
    absorbance amplitude-spectrum autocorrelation bandwidth berry bunching g2 gap gaps chern chsh chi coherence
    coherences compressibility concurrence conductance conductivity correlation correlations correlator
    correlators cumulants current currents discord susceptibility dispersion distinguishability divergence
    eigenvalue eigenvalues eigenvector eigenvectors eigenstate eigenstates eigenspectrum entanglement entropy
    entropies enthalpy ergotropy exponent exponents fano fidelity fidelities fluorescence formation fisher
    free-energy gibbs imbalance infidelity kurtosis leakage lifetime linewidth lineshape log-negativity
    logarithmic-negativity loschmidt lyapunov magnetisation magnetization magic moment moments mutual negativity
    occupation occupations occupancy otoc out-of-time-order participation polarisability polarizability
    polarisation polarization population populations purity quadrature quadratures quasienergy quasi-energy
    quasienergies rényi renyi responsivity scrambling sensitivity skewness spectra spectrum spectral squeezing
    stabiliser stabilizer stiffness structure-factor tangle temperature thermal tomogram tomographic torque
    transmittance uncertainty variance visibility witness contextuality nonlocality gini wootters trace-distance
    speed-limit charge charges dipole dipoles frequencies geometry barrier pka
    """.split()
)
# Operations on results that a sentence may order: only a reader that does them may pass over them in an order.
ANALYSES = frozenset(
    """
    autocorrelate bin bisect bootstrap calibrate classify cluster convolve correlate deconvolve denoise derivative
    derivatives differentiate differentiation decompose detect diagonalise diagonalize discriminate extrapolate
    extrapolation extremum fft fit fits fitted fitting fourier fourier-transform gradient half-life histogrammed
    infer inflection integral integrate interpolate interpolation inverse invert learn linearise linearize
    maximise maximize maxima minima minimise minimize optimise optimize optimum optimal peak peaks percentile
    periodogram quantile reconstruct reconstruction regress regression resample root-mean-square rms rank slope
    smooth smoothed spectrogram threshold train transform transpile wavelet
    """.split()
)
# Words that turn a statement round or scale it; a reader has to have read them as a part of something.
TURNS = frozenset(
    "twice thrice tenth hundredth thousandth double doubled triple tripled halved quarter inverted reversed "
    "swapped opposite negated backward backwards".split()
)

FIELD = PROCESSES | SURROUNDINGS | SHAPES | COUPLINGS | MATTER | METHODS | PROGRAMS | QUANTITIES | OTHERS
