"""Chains of qubits: quenches by product formulas or exactly, kicked chains, magnetisation, entropy, echo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from labwright.tools.forge.families.base import Judgement, Need, Script
from labwright.tools.forge.families.spin_chain.card import ChainCard
from labwright.tools.forge.families.spin_chain.judging import judge
from labwright.tools.forge.families.spin_chain.report import report
from labwright.tools.forge.families.spin_chain.script import recipes, scripts
from labwright.tools.forge.families.spin_chain.spec import SpinChainSpec
from labwright.tools.forge.results import Results


class SpinChainFamily:
    """See `labwright.tools.forge.families.base.Family`."""

    name = "chain"
    spec, card = SpinChainSpec, ChainCard

    def needs(self, spec: SpinChainSpec) -> Sequence[Need]:
        """State, Hamiltonian, the evolution of the named backend, figures."""
        return [Need(name, why) for name, why in recipes(spec).items()]

    def scripts(self, spec: SpinChainSpec, imports: Mapping[str, str]) -> Sequence[Script]:
        """A trial where the whole is long, then the whole."""
        return scripts(spec, imports)

    def judge(self, spec: SpinChainSpec, results: Results, figures: Mapping[str, object]) -> Sequence[Judgement]:
        """Norm, bounds, energy, error of the product formula, deliverables."""
        return judge(spec, results, figures)

    def report(self, spec: SpinChainSpec, results: Results, figures: Sequence[str]) -> str:
        """Hamiltonians, conventions, tables, meaning."""
        return report(spec, results, figures)


FAMILY = SpinChainFamily()
