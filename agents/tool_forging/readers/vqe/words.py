"""Words of VQE tasks: what means them, what is beyond them, what belongs to them."""

from __future__ import annotations

import re

MEANT = re.compile(
    r"\bVQE\b|variational (?:quantum )?(?:eigensolver|circuits?|algorithm)|\bUCCSD\b|unitary coupled[- ]cluster|"
    r"\bUpCCGSD\b|hardware[- ]efficient (?:circuit|ansatz)",
    re.I,
)
OTHER = re.compile(
    r"\b(?:ADAPT(?:-VQE)?|quantum annealing|QPE|phase estimation|SSVQE|VQD|qubit[- ]?ADAPT|shot noise|shots?|"
    r"noise model|noisy"
    r"|depolari[sz]ing|excited states?|excitation energ\w+|QSE|subspace expansion|PennyLane|Qiskit|CUDA-?Q|"
    r"parity mapping"
    r"|error mitigation|CNOTs?|circuit depth|depth of the circuit|gate counts?|two-qubit gates?|entangling gates?|"
    r"(?:two|three|four|[2-9]) Trotter (?:steps|slices)|reduced density matri\w+|spin[- ]resolved|"
    r"UCCD\b|UCCSDT|triples|doubles only|only doubles|without singles|generali[sz]ed singles|"
    r"orbital[- ]optimi[sz]ed|open[- ]shell|triplet)\b",
    re.I,
)
WORDS = frozenset(
    """
    casci minimum curve well depth deep fragments bend bent angle angles pauli string strings words term terms
    noise-free noiseless statevector state-vector simulated optimise optimize optimised optimized diagonalise
    diagonalize diagonalisation diagonalization parameter parameters difference differences excitation excitations
    fragment falls dissociated monatomic neutral spin-orbital spin-orbitals spatial nuclei internuclear milli
    microhartree ev kcal energy-error gradient gradients inverse singlet-state cation anion isolated
    active space frozen core angstrom ansatz antibonding atom atoms atomic basis bfgs bohr bond bonding charge
    charged chemical chemistry circuit classical cluster cobyla coefficient configuration correlated correlation
    coupled covalent dissociate dissociates dissociation doubles eigensolver eigenvalue electron electrons
    electronic energetic equilibrium exact fci fermion fermionic fock fragment full full-ci geometries geometry
    ground ground-state hamiltonian hardware hardware-efficient hartree hartree-fock helium hydride hydrogen
    interaction ion ionic jordan-wigner lithium bravyi kitaev mapped mapping minimal minimise minimize
    minimiser minimum molecular molecule molecules nuclei nuclear optimiser optimizer orbital orbitals potential
    pyscf qubit qubits qulacs reference repulsion scf separation singles slsqp sto sto-3g surface tequila
    transformation trotter trotterised trotterized uccsd ucc unitary upccgsd variational variationally variance
    vqe wavefunction binding stretched stretch compressed multireference static statically beryllium boron
    fluorine beh inter-atomic interatomic internuclear dimension layer layers millihartree chemical-accuracy
    accuracy accurate fluoride hydronium closed-shell singlet positive two-electron distances lengths
    occupied unoccupied empty virtual doubly canonical homo lumo equidistant highest lowest spacing backend encoding
    species triatomic diatomic trihydrogen positively negatively neutrality restricted rhf jw bk cc-pvdz encoder
    """.split()
)
