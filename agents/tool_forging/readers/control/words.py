"""Words of optimal control."""

VOCABULARY = frozenset(
    """
    adiabatic steer steers steering guess hardware anharmonicity anharmonic transmon coil coils knob knobs
    nonlinear detuning detuned
    heisenberg ising entangle entangled bell magnitude bounded switch spectator schroedinger schrödinger schrodinger
    equation numerically piece pieces constant piecewise average fidelity-goal overlap squared trajectory doubly triply
    adiabatic driven drive drives field fields frame rotating detuned transition transitions atom algorithm
    amplitude amplitudes arbitrary bound bounded bounds cnot computational control controlled controls
    counter-intuitive counterintuitive coupled coupling couplings dark dimensionless drift duration entangling
    excited fidelity fidelities final gate gates gaussian global gradient grape ground hadamard hamiltonian
    hamiltonians hermitian infidelity initial intermediate intuitive iswap iteration iterations ladder lambda
    lambda-type leakage level levels logical matrix maximise maximize minimise minimising minimize minimizing
    occupation occupied optimal optimisation optimise optimised optimiser optimization optimize optimized
    optimizer passage pauli penalise penalize penalty phase piecewise piecewise-constant population populations
    propagate propagator pulse pulses pump qubit qubits qutip qutip-qtrl qutrit raman realise robust rotation seed
    shaped slice slices slot slots smooth spectator spin spins state-to-state stimulated stirap stokes
    superposition swap swaps synthesis synthesise synthesize target three-level time-slots transfer transferred
    transfers transition transmon two-level two-qubit unitary universal validate validation verified verify vee
    v-type xi cascade evolved evolves coherent coherently resonant arbitrary-units keeps unoccupied empty emptied
    quadrature quadratures in-phase out-of-phase generator handles
    excitation excitations oscillator weakly closed isolated w-state ghz preparation prepare neighbour neighbours
    neighbor neighbors frequencies tune tunable detunings knob amplitude tone
    microwave exchange interacting interact
    """.split()
)
