"""Words of spin chains: whatever they ask for, the reader of spin chains has looked for it."""

VOCABULARY = frozenset(
    """
    ion ions trapped bond bonds summed sum next-nearest nearest-neighbour power-law sz sx sy line row string circle
    curve curves picture space-time space time map maps colour-map melt melts melting wall deviation polarisation
    polarization component components counting counted count apart probability probabilities survival found dies
    survive all-to-all distance imbalance-curve spin-1/2 eigenstate register realisation pls half-up half-down init
    frustrated isotropic anisotropic easy field-free residual pair pairs neighbours' neel-state dominated subharmonics
    qubit qubits front fronts spin spins site sites chain chains ring ising transverse transverse-field
    longitudinal field fields heisenberg xxz xx xy model hamiltonian coupling couplings nearest neighbour
    neighbours neighbor neighbors nearest-neighbour nearest-neighbor neighbouring neighboring boundary boundaries
    open periodic condition conditions pbc obc magnetisation magnetization local site-resolved averaged mean total
    staggered heatmap heatmaps haar haar-random random state states initial product neel néel alternating domain
    wall walls polarised polarized up down ferromagnetic ferromagnet antiferromagnetic antiferromagnet
    paramagnetic paramagnet phase phases regime regimes critical quench quenched quenches second-order first-order
    formula trotter trotterised trotterized suzuki strang symmetric exact diagonalisation diagonalization evolve
    evolution unitary time steps step floquet period periods periodically kick kicks kicked kicking pulse strength
    global stroboscopic interaction interactions interact interacting entanglement entropy half-chain half
    bipartite cut von neumann echo loschmidt return survival fidelity overlap energy conserved conservation
    conserve spread spreading light cone ballistic diffusive thermalise thermalize thermalisation thermalization
    ergodic ergodicity breaking heating heat infinite temperature integrable chaotic chaos scrambling revival
    revivals oscillate oscillation oscillations precession frozen stripes cuda-q cudaq cuda numpy scipy backend
    statevector vector seed reproducible seconds second units unit dimensionless index colour color axis amplitude
    resonance drive driven driving correlator correlators correlation correlations imbalance memory localisation
    localization symmetry pauli anisotropy easy-plane easy-axis kinetic constrained excitation excitations magnon
    magnons flipped left right middle centre center first last zz one-dimensional 1d one dimensional averages nat
    bit natural longest short early late relax relaxes relaxation equilibrate equilibration equilibrium persist
    persists frequency larmor rotation rotations angle unitaries layer layers circuit visible long-range power-law
    decaying interactions tilt tilted confinement meson mesons plateau saturate saturates saturation page volume
    area pi subharmonic doubled doubling response eigenstate eigenstates all-up all-down zero one plus minus bloch
    particulars ends hopping exchange
     stroboscopic flip-flop string echo trotterisation trotterization tfim ordered disordered flips flip
    """.split()
)
