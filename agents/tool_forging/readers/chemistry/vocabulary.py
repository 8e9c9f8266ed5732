"""Words of chemistry that this family reads or that change nothing: an order with others is not understood."""

from __future__ import annotations

_READ = """
    absorption acid acids adiabatic affinity allowed angle angles angstrom angstroms anion anions atom atoms atomic
    atmosphere atmospheres axis band bar base basis bond bonds bonding bohr bright brightest carbon casci cation cations
    ccsd charge charged charges chemical chemistry closed closed-shell combustion compound compounds conductor
    configuration constant constants contact continuum coordinates core correlated correlation coupled coupled-cluster
    cpcm c-pcm cubic curve curves debye decomposition deg degree degrees delta density dft dielectric dihedral
    dipole dispersion dissociation distance distances doublet doublets electron electronic electrons element elements
    energetic energy energies enthalpies enthalpy entropies entropy equilibrium excitation excitations excited exchange
    exothermic endothermic exergonic endergonic fci fluorine fock formation formula fragment fragments free frequencies
    frequency frontier frozen functional functionals gap gaps gas gas-phase gaseous geometries geometry gibbs ghz ground
    half hartree hartree-fock harmonic heat heats hf highest homo homolysis hydride hydrogen hydrogens hyperfine ideal
    imaginary ion ionic ions isodesmic isomer isomeric isomerisation isomerization isomers joule kcal kelvin kj
    kohn-sham lengths level levels linear lowest lumo mass masses mean-field methyl minima minimum mode modes molar mole
    molecular molecule molecules moller moller-plesset moment moments mp2 mulliken multiplicity neutral nitrogen
    normal nuclear nuclei nucleus occupied open-shell optimisation optimise optimised optimising optimization optimize
    optimized orbital orbitals oscillator oxygen pcm permittivity perturbation perturbative phase pka plesset point
    point-group polarisable polarizable potential pressure product products proton pyscf radical radicals radii
    reactant reactants reaction reactions rearrangement relax relaxed relaxation restricted rigid ring rings root roots
    rotational rotor rotator scan scanned scf second-order sign singlet singlets single-point smd smiles solvation
    solvent solvents solution spectrum spectra spin spins spontaneous stability stable standard stationary strain
    strength strengths stretching structural structure structures substance substances surface symmetric symmetry
    tamm-dancoff tda tddft td-dft temperature temperatures term terms thermal thermochemical thermochemistry
    thermodynamic thermodynamics total transition transitions triples triplet triplets uncorrelated unrestricted
    unscaled vacuum valence vertical vibration vibrational vibrations virtual volume water wave wavefunction wavelength
    wavelengths wavenumber wavenumbers zero-point zpe zpve xyz d3 d4 d3bj bj
    stick sticks canonical open mol mols species derivative derivatives capacity capacities fundamental fundamentals
    carbocation carbocations inorganic organic calibrate calibration solvated conjugate active squared contamination
    alkane alkanes cycloalkane cycloalkanes alkene alkenes alkyne alkynes aldehyde aldehydes ketone ketones amine amines
    alcohol alcohols ester esters amides halide halides
    hydrocarbon hydrocarbons hydrides acyl aromatic diatomic diatomics
    stiff stiffer stiffest short shorter shortest longest strongest weakest polar polarity polarised carbonyl nitrile
    hydroxyl methylene aldehydic acidic acidity basic basicity planar pyramidal bent
    electric dimensionless frontier-orbital minus plus wavefunctions
    vapour vapor steam rohf rhf uhf silylene
    homolytic heterolytic splitting splittings bright dark character imag lines csv homodesmic affinities ionisation
    isoelectronic correction corrections convergence converged criteria criterion unpaired paired rounding
"""
# things of laboratories, lectures and letters that set nothing
_AROUND = """
    abstract afternoon appendix application archive assignment assistant assistants authors beginner beginners benchmark
    bench board book books calculator cluster-computer colleagues committee computer coursework customer customers
    department desktop editor engineers exam examination excel experimentalist experimentalists experimenters facility
    factory fridge grant handbook handbooks high-school industry institute internship journal kitchen laptop lecture
    lectures lecturer librarian libreoffice manuscript master media neighbour notebook office oven pilot plant poster
    practical practicals preprint project projects proposal pupil pupils referee referees reviewer reviewers screen
    secretary semester session sessions spreadsheet spreadsheets stall storage supervisor supervisors synthesis teacher
    teachers yourself team textbook textbooks thesis tutor tutors workshop workbook
"""
WORDS = frozenset(_READ.split()) | frozenset(_AROUND.split())
