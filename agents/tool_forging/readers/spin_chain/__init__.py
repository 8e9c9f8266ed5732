"""Reads tasks about chains of qubits: quenches, kicked chains, magnetisation, entropy, echo."""

from labwright.agents.tool_forging.readers.spin_chain.reader import SpinChainReader

READER = SpinChainReader()
