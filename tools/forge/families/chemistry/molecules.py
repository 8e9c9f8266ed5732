"""Common molecules by name: what a chemist knows without looking it up.

Source: names and structures as in the IUPAC recommendations 2013 and the NIST Chemistry WebBook.
"""

from __future__ import annotations

import re

_TABLE = """
hydrogen|H2|dihydrogen=[H][H]; nitrogen|N2|dinitrogen=N#N; oxygen|O2|dioxygen=[O][O]; fluorine|F2=FF;
chlorine|Cl2=ClCl; carbon monoxide|CO=[C-]#[O+]; carbon dioxide|CO2=O=C=O; water|H2O=O; hydrogen peroxide|H2O2=OO;
ammonia|NH3=N; hydrogen fluoride=F; hydrogen chloride|HCl=Cl; hydrogen bromide|HBr=Br; hydrogen cyanide|HCN=C#N;
hydrogen sulfide|hydrogen sulphide|H2S=S; sulfur dioxide|sulphur dioxide|SO2=O=S=O; nitrous oxide|N2O=[N-]=[N+]=O;
nitric oxide|nitrogen monoxide=[N]=O; nitric acid|HNO3=O[N+](=O)[O-]; sulfuric acid|H2SO4=OS(=O)(=O)O;
phosphine|PH3=P; ozone|O3=[O-][O+]=O; hydrazine|N2H4=NN; hydroxylamine=NO; lithium hydride|LiH=[LiH];
silane|SiH4=[SiH4]; borane|BH3=B; methane|CH4=C; ethane|C2H6=CC; propane=CCC; butane|n-butane=CCCC;
pentane|n-pentane=CCCCC; hexane|n-hexane=CCCCCC; 2-methylpropane|isobutane=CC(C)C; neopentane=CC(C)(C)C;
ethylene|ethene|C2H4=C=C; acetylene|ethyne|C2H2=C#C; propene|propylene=C=CC; propyne=CC#C; allene=C=C=C;
1-butene=C=CCC; isobutene=CC(=C)C; 1,3-butadiene|butadiene=C=CC=C; cyclopropane=C1CC1; cyclobutane=C1CCC1;
cyclopentane=C1CCCC1; cyclohexane=C1CCCCC1; cycloheptane=C1CCCCCC1; cyclooctane=C1CCCCCCC1; cyclohexene=C1CCC=CC1;
cyclopentadiene=C1C=CC=C1; benzene|C6H6=c1ccccc1; toluene=Cc1ccccc1; styrene=C=Cc1ccccc1; phenol=Oc1ccccc1;
aniline=Nc1ccccc1; benzaldehyde=O=Cc1ccccc1; benzoic acid=OC(=O)c1ccccc1; salicylic acid=OC(=O)c1ccccc1O;
aspirin|acetylsalicylic acid=CC(=O)Oc1ccccc1C(=O)O; naphthalene=c1ccc2ccccc2c1; anthracene=c1ccc2cc3ccccc3cc2c1;
azulene=c1ccc2cccc2cc1; pyridine=c1ccncc1; pyrazine=c1cnccn1; pyrimidine=c1cncnc1; pyrrole=c1cc[nH]c1;
imidazole=c1c[nH]cn1; furan=c1ccoc1; thiophene=c1ccsc1; indole=c1ccc2[nH]ccc2c1; uracil=O=c1cc[nH]c(=O)[nH]1;
thymine=Cc1c[nH]c(=O)[nH]c1=O; cytosine=Nc1cc[nH]c(=O)n1; adenine=Nc1ncnc2[nH]cnc12;
caffeine=CN1C=NC2=C1C(=O)N(C(=O)N2C)C; theobromine=CN1C=NC2=C1C(=O)NC(=O)N2C; methanol|CH3OH=CO; ethanol=CCO;
1-propanol|propanol=CCCO; isopropanol|2-propanol=CC(C)O; ethylene glycol=OCCO; glycerol=OCC(O)CO;
dimethyl ether=COC; diethyl ether=CCOCC; oxirane|ethylene oxide=C1CO1; tetrahydrofuran|THF=C1CCOC1;
formaldehyde|methanal|CH2O|H2CO=C=O; acetaldehyde|ethanal=CC=O; propanal=CCC=O; acrolein=C=CC=O; glyoxal=O=CC=O;
acetone=CC(=O)C; ketene=C=C=O; formic acid|methanoic acid|HCOOH=OC=O; acetic acid|ethanoic acid|CH3COOH=CC(=O)O;
propionic acid|propanoic acid=CCC(=O)O; fluoroacetic acid=OC(=O)CF; difluoroacetic acid=OC(=O)C(F)F;
trifluoroacetic acid=OC(=O)C(F)(F)F; chloroacetic acid=OC(=O)CCl; dichloroacetic acid=OC(=O)C(Cl)Cl;
trichloroacetic acid=OC(=O)C(Cl)(Cl)Cl; bromoacetic acid=OC(=O)CBr; chlorofluoroacetic acid=OC(=O)C(F)Cl;
glycolic acid=OCC(=O)O; lactic acid=CC(O)C(=O)O; acrylic acid=C=CC(=O)O; glycine=NCC(=O)O; alanine=CC(N)C(=O)O;
urea=NC(=O)N; formamide=NC=O; acetamide=CC(=O)N; methyl acetate=CC(=O)OC; methyl formate=COC=O;
ethyl acetate=CCOC(=O)C; acetonitrile=CC#N; nitromethane=C[N+](=O)[O-]; methylamine=CN; dimethylamine=CNC;
trimethylamine=CN(C)C; ethylamine=CCN; methanethiol=CS; dimethyl sulfide=CSC; dimethyl sulfoxide|DMSO=CS(=O)C;
fluoromethane|methyl fluoride|CH3F=CF; chloromethane|methyl chloride|CH3Cl=CCl; bromomethane=CBr;
dichloromethane=ClCCl; chloroform|CHCl3=ClC(Cl)Cl; carbon tetrachloride|CCl4=ClC(Cl)(Cl)Cl;
tetrafluoromethane|CF4=FC(F)(F)F; vinyl chloride=C=CCl; fluoroethylene=C=CF; hydride|H-=[H-]; proton|H+=[H+];
hydroxide|OH-=[OH-]; hydronium|H3O+=[OH3+]; ammonium|NH4+=[NH4+]; methyl cation|CH3+=[CH3+]; methyl radical=[CH3];
hydroxyl radical=[OH]; methanide|CH3-=[CH3-]; acetate=CC(=O)[O-]; formate=[O-]C=O; cyanide=[C-]#N; fluoride=[F-];
chloride=[Cl-]; bromide=[Br-]; tert-butyl cation=C[C+](C)C; ethyl cation=[CH2+]C; isopropyl cation=C[CH+]C
"""
# Rings of n CH2 groups, and these with one methyl group, have names by the numeral alone.
_NUMERALS = {3: "prop", 4: "but", 5: "pent", 6: "hex", 7: "hept", 8: "oct", 9: "non", 10: "dec"}


def _rows() -> dict[str, str]:
    found: dict[str, str] = {}
    for row in re.split(r";\s", _TABLE.strip()):
        names, smiles = row.strip().split("=", 1)
        for name in names.split("|"):
            found[name] = smiles
    for size in _NUMERALS:
        found[cycloalkane(size)[0]] = cycloalkane(size)[1]
        found[methylcycloalkane(size)[0]] = methylcycloalkane(size)[1]
    return found


def cycloalkane(size: int) -> tuple[str, str]:
    """Name and SMILES of the ring of `size` CH2 groups."""
    return f"cyclo{_NUMERALS[size]}ane", f"C1{'C' * (size - 2)}C1"


def methylcycloalkane(size: int) -> tuple[str, str]:
    """Name and SMILES of the ring of `size` carbons with one methyl group."""
    return f"methylcyclo{_NUMERALS[size]}ane", f"CC1{'C' * (size - 2)}C1"


MOLECULES = _rows()
# The ground state is no singlet, or SMILES says less than chemists know.
MULTIPLICITIES = {"[O][O]": 3, "[N]=O": 2, "[CH3]": 2, "[OH]": 2}
