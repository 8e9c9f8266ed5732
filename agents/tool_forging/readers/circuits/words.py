"""Words of circuits: whatever they ask for, the reader of circuits has looked for it."""

VOCABULARY = frozenset(
    """
    qubit qubits cluster linear touch touches touched undergo undergoes involve involved graph gate gates circuit
    circuits hadamard cnot control controlled controlling target bell ghz pair pairs entangle entangled
    entanglement entangling correlation correlator correlators correlated uncorrelated anticorrelated shots shot
    counts count bitstring bitstrings basis bases computational pauli observable parity noise noisy noiseless
    channel channels depolarising depolarizing depolarisation depolarization depolarise damping amplitude phase
    flip flips dephasing readout error errors probability probabilities fidelity fidelities purity entropy
    statistical binomial bit bits leftmost qiskit aer cuda cuda-q cudaq simulator backend density matrix
    statevector zero ones superposition rotation rotate rotated rotations chsh inequality violation violate
    violates bound tsirelson classical nonlocal locality hidden local mixture mixed separable witness stabiliser
    stabilizer stabilisers stabilizers werner singlet triplet kraus operator operators histogram histograms
    confidence uncertainty uncertainties deviation sqrt psi phi rho theta eigenstate eigenstates outcome outcomes
    neighbouring neighboring adjacent successive consecutive ladder cascade line first second third fourth all
    both every each apply insert undo perfect ideal error-free noise-free decay decays decayed decaying
    exponential exponentially power law analytic analytically threshold robust robustness fragile fragility
    sensitive coherence coherences decoherence unitary maximal maximally imperfect hardware device seed
    excitation excitations energy loses lose lost loss ghz-state misread misreads misidentify detector detectors
    detection detect relaxation relax relaxes field beam memory stored storage fly flies flown channel fibre fiber
    transmit transmitted transmission decohere decoheres depolarises depolarizes dephases hits hit affected suffers
    suffer storage qft quality recipe measured measurement measurements pauli-string stabiliser-expectation values
    degrees degree radians radian angle angles alpha beta theta axis trace exactly connect connected join joined link
    reproducible plane ket bra normalised normalized computes prepares applies starts takes gives comes so-called
    cat wise preparation tsirelson's initial unnormalised physical two-qubit single-qubit three-qubit four-qubit
    multi-qubit even odd expected theoretical three nearest toffoli swap four-body two-body three-body reset item
    setting fault faults inverted flipped pairs detector detectors detection fibre fiber transmitted immune
    register population populations angle angles phi+ psi+ quantum-mechanical
    """.split()
)
