"""Common molecules by name: what a chemist knows without looking it up.

Source: names and structures as in the IUPAC recommendations 2013 and the NIST Chemistry WebBook.
"""

from __future__ import annotations

import re

_TABLE = """
hydrogen|H2|dihydrogen=[H][H]; nitrogen|N2|dinitrogen=N#N; oxygen|O2|dioxygen=[O][O]; fluorine|F2=FF;
chlorine|Cl2=ClCl; carbon monoxide|CO=[C-]#[O+]; carbon dioxide|CO2=O=C=O; water|H2O=O; hydrogen peroxide|H2O2=OO;
ammonia|NH3=N; hydrogen fluoride|HF=F; hydrogen chloride|HCl=Cl; hydrogen bromide|HBr=Br; hydrogen cyanide|HCN=C#N;
hydrogen sulfide|hydrogen sulphide|H2S=S; sulfur dioxide|sulphur dioxide|SO2=O=S=O; nitrous oxide|N2O=[N-]=[N+]=O;
nitric oxide|nitrogen monoxide|NO=[N]=O; nitric acid|HNO3=O[N+](=O)[O-]; sulfuric acid|H2SO4=OS(=O)(=O)O;
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
hydroxyl radical=[OH]; methanide|CH3-=[CH3-]; acetate=CC(=O)[O-]; formate=[O-]C=O; cyanide=[C-]#N; fluoride|F-=[F-];
chloride|Cl-=[Cl-]; bromide|Br-=[Br-]; iodide|I-=[I-]; lithium cation|Li+=[Li+]; sodium cation|Na+=[Na+];
methylacetylene|1-propyne=CC#C; propadiene|1,2-propadiene=C=C=C; silyl radical|SiH3=[SiH3]; silyl cation|silylium=[SiH3+];
silyl anion|SiH3-=[SiH3-]; methylium=[CH3+]; carbonic acid=OC(=O)O; nitrosyl cation|nitrosonium|NO+=N#[O+];
nitronium|NO2+=O=[N+]=O; nitrite|NO2-=[O-]N=O; nitrate|NO3-=[O-][N+](=O)[O-]; azide|N3-=[N-]=[N+]=[N-];
cyanide anion|CN-=[C-]#N; hydroperoxyl|HO2|HO2 radical=O[O]; superoxide=[O][O-]; phosphane=P; arsine|arsane|AsH3=[AsH3];
germane|GeH4=[GeH4]; hydrogen selenide|H2Se=[SeH2]; disilane|Si2H6=[SiH3][SiH3]; sulfur monoxide|sulphur monoxide=S=O; thionyl chloride=O=S(Cl)Cl; thioacetaldehyde|ethanethial=CC=S; thioketene=C=C=S;
methanethial=C=S; thioformamide=NC=S; thioacetone=CC(=S)C; thiourea=NC(=S)N; selenoformaldehyde=C=[Se]; silanone=O=[SiH2];
formyl radical|HCO=[CH]=O; formyl cation|HCO+=[CH]#[O+]; vinyl radical=C=[CH]; ethyl radical|C2H5=C[CH2]; ethynyl radical=C#[C];
phenyl radical=c1cccc[c]1; allyl radical=C=C[CH2]; benzyl radical=[CH2]c1ccccc1; methoxy radical|CH3O=C[O]; ethoxy radical=CC[O];
hydrosulfide|SH-=[SH-]; amide ion|NH2-=[NH2-]; methoxide=C[O-]; methylidyne=[CH]; imidogen=[NH];
mercapto radical=[SH]; hydrogen iodide=I; iodomethane|methyl iodide|CH3I=CI; Br2=BrBr; I2=II;
hydrogen cation=[H+]; ethane-1,2-diol=OCCO; ethanedial=O=CC=O; 2-propanone=CC(C)=O; prop-2-enal=C=CC=O; methoxymethane=COC;
2-methylpropene=CC(=C)C; methylenecyclopropene=C=C1C=C1; bicyclobutane=C1C2CC12; isoprene=CC(=C)C=C; vinylacetylene=C#CC=C;
hexatriene|1,3,5-hexatriene=C=CC=CC=C; diacetylene|butadiyne=C#CC#C; propiolic acid=OC(=O)C#C; propynal=O=CC#C; acrylonitrile=C=CC#N; propionitrile=CCC#N;
nitrosomethane=CN=O; nitramide=N[N+](=O)[O-]; formhydroxamic acid=O=CNO; N-methylformamide=CNC=O; N-methylacetamide=CNC(=O)C;
glycolaldehyde=OCC=O; dimethoxymethane=COCOC; vinyl fluoride=C=CF; 1,1-difluoroethylene=C=C(F)F; difluorocarbene|CF2=F[C]F;
nitroxyl|HNO=N=O; diazene|diimide|N2H2=N=N; hydrogen isocyanide|isohydrogen cyanide|HNC=[C-]#[NH+];
carbonyl sulfide|carbonyl sulphide|OCS|COS=O=C=S; carbon disulfide|carbon disulphide|CS2=S=C=S; phosgene=O=C(Cl)Cl;
thioformaldehyde|H2CS|CH2S=C=S; isocyanic acid|HNCO=N=C=O; cyanic acid=OC#N; fulminic acid=[O-][N+]#C;
nitrous acid|HNO2|HONO=ON=O; hypochlorous acid|HOCl=OCl; hypofluorous acid|HOF=OF; chlorine monofluoride|ClF=FCl;
lithium fluoride|LiF=[Li]F; sodium chloride|NaCl=[Na]Cl; sodium hydride|NaH=[NaH]; beryllium hydride|BeH2=[BeH2];
magnesium hydride|MgH2=[MgH2]; aluminium hydride|alane|AlH3=[AlH3]; boron trifluoride|BF3=FB(F)F;
boron trichloride|BCl3=ClB(Cl)Cl; nitrogen trifluoride|NF3=FN(F)F; phosphorus trifluoride|PF3=FP(F)F;
phosphorus trichloride|PCl3=ClP(Cl)Cl; silicon tetrafluoride|SiF4=F[Si](F)(F)F; oxygen difluoride|OF2=FOF;
sulfur trioxide|sulphur trioxide|SO3=O=S(=O)=O; sulfur hexafluoride|SF6=FS(F)(F)(F)(F)F; nitrogen dioxide|NO2=[O-][N+]=O;
dinitrogen tetroxide|N2O4=O=[N+]([O-])[N+](=O)[O-]; disulfane|H2S2=SS; phosphorus mononitride|PN=P#N;
difluoromethane|CH2F2=FCF; trifluoromethane|fluoroform|CHF3=FC(F)F; methylene chloride|CH2Cl2=ClCCl;
fluoroacetylene=C#CF; chloroacetylene=C#CCl; cyanogen|C2N2=N#CC#N; acetyl chloride=CC(=O)Cl; formyl fluoride=O=CF;
methyl isocyanide=C[N+]#[C-]; vinylamine=C=CN; vinyl alcohol|ethenol=C=CO; vinyl fluoride=C=CF; ethyl chloride=CCCl;
cyclobutadiene=C1=CC=C1; cyclopropene=C1C=C1; cyclobutene=C1CC=C1; cyclopentene=C1CC=CC1; 1,3-cyclohexadiene=C1CC=CC=C1;
fulvene=C=C1C=CC=C1; methylenecyclopropane=C=C1CC1; 2-butyne=CC#CC; 1-butyne=C#CCC; biphenyl=c1ccc(cc1)-c1ccccc1;
p-benzoquinone|benzoquinone=O=C1C=CC(=O)C=C1; pyridazine=c1ccnnc1; s-triazine=c1ncncn1; oxazole=c1cocn1; thiazole=c1cscn1;
chlorobenzene=Clc1ccccc1; fluorobenzene=Fc1ccccc1; nitrobenzene=O=[N+]([O-])c1ccccc1; benzonitrile=N#Cc1ccccc1;
anisole=COc1ccccc1; aziridine=C1CN1; oxetane=C1COC1; thiirane=C1CS1; dioxirane=C1OO1; azetidine=C1CNC1;
pyrrolidine=C1CCNC1; piperidine=C1CCNCC1; 1,4-dioxane=C1COCCO1; cyclohexanone=O=C1CCCCC1; cyclopropanone=O=C1CC1;
oxalic acid=OC(=O)C(=O)O; malonic acid=OC(=O)CC(=O)O; cyanoacetic acid=OC(=O)CC#N; peroxyformic acid=O=COO;
methyl hydroperoxide=COO; dimethyl peroxide=COOC; methyl nitrite=CON=O; hydrogen azide|hydrazoic acid|HN3=N=[N+]=[N-];
diazomethane|CH2N2=C=[N+]=[N-]; methyl azide=CN=[N+]=[N-]; guanidine=NC(=N)N; acetamidine=CC(=N)N; formamidine=N=CN;
methanimine|CH2NH=C=N; formaldoxime=C=NO; dimethylformamide=CN(C)C=O; methyl radical|CH3=[CH3]; amino radical|NH2=[NH2];
hydroxyl|OH radical=[OH]; cyano radical|CN radical=[C]#N; triplet methylene=[CH2]; tert-butyl cation=C[C+](C)C; ethyl cation=[CH2+]C; isopropyl cation=C[CH+]C
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
MULTIPLICITIES = {
    "[O][O]": 3, "[N]=O": 2, "[CH3]": 2, "[OH]": 2, "[O-][N+]=O": 2, "[NH2]": 2, "[C]#N": 2, "[CH2]": 3, "[SiH3]": 2, "O[O]": 2, "[O][O-]": 2, "S=O": 3,
    "[CH]=O": 2, "C=[CH]": 2, "C[CH2]": 2, "C#[C]": 2, "c1cccc[c]1": 2, "C=C[CH2]": 2, "[CH2]c1ccccc1": 2, "C[O]": 2, "CC[O]": 2,
    "[CH]": 2, "[NH]": 3, "[SH]": 2, "F[C]F": 1,
}  # fmt: skip
