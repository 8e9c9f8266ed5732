"""Words of exciton dynamics."""

VOCABULARY = frozenset(
    """
    accompany acceptor antenna bacteriochlorophyll bath baths boltzmann chlorophyll chromophore coherence
    coherences coherent complex correlation biased bias cutoffs frequency frequencies meV mev ev depth tier tiers
    coupled couples coupling cutoff cut-off debye decoherence delocalise delocalize dephasing depth dimer donor
    drude drude-lorentz dimensionless electronic environment environments exciton excitons excitonic excitation
    fenna-matthews-olson fenna matthews olson fmo femtosecond femtoseconds hamiltonian harvesting heom
    hierarchical hierarchy hopping identical kelvin light light-harvesting localised localized lorentz matsubara
    markovian matrix molecular molecule monomer motion network off-diagonal overdamped pade padé phonon
    photosynthesis photosynthetic picosecond picoseconds pigment population populations propagate qutip
    reorganisation reorganization relax relaxation resonance resonant site sites solver spectral density
    superposition temperature temperatures terminator thermal trimer tetramer transfer transport truncate
    truncation wavenumber wavenumbers expansion exponential room purity quantum-beat beat beats oscillation
    oscillations oscillator overdamped-oscillator protein vibration vibrations bosonic dye dyes spectrum excited
    non-markovian
    excitation eigenstate eigenstates weights bare electronic-coupling equilibrium equilibrate nearest neighbour
    neighbours neighbor neighbors symmetric antisymmetric environment surroundings reservoir reservoirs phonons memory
    quench energy-transfer homodimer heterodimer cryostat uncorrelated independent separately ring triangle chain row
    linear onto
    downhill uphill climb funnel final boltzmann inverse inversely reciprocal equal equally wiggle wiggles
    damped die thermalise
    thermalize thermalisation thermalization eigenenergies eigenbasis hamiltonian-eigenstates trace sum conserved
    """.split()
)
