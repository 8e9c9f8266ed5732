"""Words of few-level systems: whatever they ask for, the reader of open systems has looked for it."""

VOCABULARY = frozenset(
    """
    qubit qubits hamiltonian hamiltonians unitary lindblad master equation open closed isolated dissipation
    dissipative dissipator collapse operator operators jump decay decays decaying relaxation relax relaxes
    relaxing lifetime lifetimes dephasing dephase decoherence coherent coherence coherences spontaneous emission
    emit rate rates thermal bath baths reservoir environment temperature occupation occupations boltzmann bose
    einstein photon photons quanta quantum excited ground eigenstate eigenstates superposition density matrix
    purity entropy neumann entanglement entangled concurrence fidelity population populations level levels ladder
    cascade lambda vee three-level two-level four-level qutrit atom atomic cavity resonator oscillator mode modes
    fock vacuum truncate truncated truncation cutoff jaynes cummings jaynes-cummings tavis rabi ramsey echo
    precession larmor frequency frequencies detuning detuned resonance resonant off-resonant resonantly rotating
    frame wave rotating-wave drive drives driven driving pulse field laser microwave cosine sinusoidal periodic
    time-dependent coupling coupled couple exchange interaction hopping transfer excitation excitations energy
    energies splitting tunnelling tunneling steady stationary equilibrium detailed balance long-time asymptotic
    transient damped undamped underdamped overdamped damping oscillation oscillate oscillations oscillates beat
    beats persistent expectation magnetisation magnetization pauli sigma sigmam sigmap sigmaz sigmax sigmay bloch
    sphere vector component components trace hermitian off-diagonal diagonal element qutip mesolve sesolve
    steadystate numpy scipy solver grid points steps evenly dimension dimensional dimensionless units natural
    initial final maximally mixed state states ket bra basis bare dressed eigenvalue eigenvalues gap transition
    transitions upward downward up down absorption stimulated markovian markov weak born secular purcell kerr
    quality factor linewidth hbar kelvin microsecond microseconds nanosecond nanoseconds picoseconds femtoseconds
    second seconds mhz ghz khz two-qubit single-qubit donor acceptor dimer monomer molecule molecules site sites
    delocalised delocalized localised localized exciton excitons atoms spin spins half electron nuclear magnetic
    lose loses lost gain sum sums conserved conservation invariant exponential exponentially time-scale timescale
    timescales envelope half-life plus minus zero one both each every all only identical respective pair pairs
    singlet triplet bell left right first second third fourth tunnel flip flips swap swaps blockade trapped ion
    static transverse longitudinal absorption losses lossless lossy leak leaks leaking leaky heated heat heating
    surroundings environment cold warm warmed
    integrate integrated integrates transmission transparent transparency probe pump pumped light beam biexciton
    metastable upper lower middle row hop hops hopping ladder landau exercise empty enters enter flies chip sits line
    shape lineshape spontaneously radiates radiate elsewhere occupied quadrature natural linewidth decohere
    measured measure leakage stays stay carries carry diagonal connects connect joins join joined linked links
    branching branch tick collisions jump-operator jump-operators schroedinger schrödinger undergoes suffers suffer
    subjected spectroscopy neighbours neighbouring neighbors neighboring v-type lambda-type xi-type cavity-field
    forget forgets remember pure superconducting transmon nv centre center nmr relaxes maser lasing emitter
    emitters fringe fringes dark bright rubidium caesium cesium ytterbium hyperfine compare magnitude optical
    bistable wootters interact interacts interacting interaction incoherently pump pumps pumping lamp medium
    preparation preparations spell spells number thermalise thermalises thermalisation thermalization thermalize
    relaxing populated depopulated repumped repumping jumps band bands manifold logarithmic flux bias tone shaken
    depolarising depolarizing depolarised depolarized
    memory bosonic ensemble trapped crystal defect optical electron nucleus mechanical medium
    """.split()
)
