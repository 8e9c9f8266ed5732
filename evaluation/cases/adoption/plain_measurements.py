"""Single-qubit measurements, no framework.

`station` is our driver object. Calls are queued in order and the queue is
executed by p_excited():

    station.begin()            empty the queue, start from the ground state
    station.x180(), station.x90(phase_deg=0.0)
    station.wait(ns)
    station.drive(amp)         one pulse of the standard shape at this amplitude
    station.p_excited(shots)   read out, return the averaged population
"""
import logging

import numpy as np
from scipy.optimize import curve_fit, least_squares
from scipy.signal import periodogram

_log = logging.getLogger("q1.measure")


def _exp(t, a, tau, c):
    return a * np.exp(-t / tau) + c


def relaxation_time(measure, t_guess=50e-6, n_delays=25, repeats=4,
                    n_boot=200, seed=None):
    """T1 with a bootstrap error bar.

    measure(delay_s) -> excited population. The delays are spaced
    geometrically around t_guess and visited in a fresh random order for each
    repeat, so drift does not look like a decay.
    """
    rng = np.random.default_rng(seed)
    delays = np.concatenate(
        [[0.0], np.geomspace(t_guess / 30, 6 * t_guess, n_delays - 1)])
    pops = np.empty((repeats, n_delays))
    for r in range(repeats):
        for k in rng.permutation(n_delays):
            pops[r, k] = measure(float(delays[k]))
    mean = pops.mean(axis=0)

    def fit(y, p0):
        # microseconds inside the fit, better conditioned
        popt, _ = curve_fit(_exp, delays * 1e6, y, p0=p0, maxfev=5000)
        return popt

    best = fit(mean, [mean[0] - mean[-1], t_guess * 1e6, mean[-1]])
    boots = []
    for _ in range(n_boot):
        pick = rng.integers(0, repeats, size=(repeats, n_delays))
        sample = np.take_along_axis(pops, pick, axis=0).mean(axis=0)
        try:
            boots.append(fit(sample, best)[1])
        except RuntimeError:
            continue
    if len(boots) < n_boot // 2:
        _log.warning("only %d of %d bootstrap fits converged", len(boots), n_boot)
    lo, hi = np.percentile(boots, [16, 84]) if boots else (np.nan, np.nan)
    return {"T1": best[1] * 1e-6, "T1_lo": lo * 1e-6, "T1_hi": hi * 1e-6,
            "p_inf": best[2], "delays": delays, "populations": pops}


def ramsey_frequency_difference(station, max_wait_ns=8000, step_ns=80,
                                artificial_mhz=0.6, shots=1000):
    """Qubit frequency minus drive frequency, in kHz.

    The drive is not detuned. The second pi/2 pulse is advanced by
    360 * artificial_mhz * t instead, and the fringe frequency found is
    compared with artificial_mhz.

    Returns (difference_khz, error_khz, t2_star_us).
    """
    waits = np.arange(0, max_wait_ns + 1, step_ns, dtype=float)
    pop = np.empty_like(waits)
    for i, w in enumerate(waits):
        phase = (360.0 * artificial_mhz * w * 1e-3) % 360.0
        station.begin()
        station.x90()
        station.wait(w)
        station.x90(phase_deg=phase)
        pop[i] = station.p_excited(shots)

    t = waits * 1e-3                          # us
    freqs, power = periodogram(pop - pop.mean(), fs=1.0 / (t[1] - t[0]),
                               nfft=8 * len(t))
    f0 = freqs[1:][np.argmax(power[1:])]

    def resid(p):
        a, f, ph, t2, c = p
        return a * np.exp(-t / t2) * np.cos(2 * np.pi * f * t + ph) + c - pop

    sol = least_squares(
        resid, [np.ptp(pop) / 2, f0, 0.0, t[-1] / 2, pop.mean()],
        bounds=([0, 0, -np.pi, t[1], 0], [1, 0.5 / t[1], np.pi, 50 * t[-1], 1]))
    dof = max(1, len(t) - len(sol.x))
    cov = np.linalg.pinv(sol.jac.T @ sol.jac) * 2 * sol.cost / dof
    diff = (artificial_mhz - sol.x[1]) * 1e3
    err = np.sqrt(cov[1, 1]) * 1e3
    _log.info("fringe %.4f MHz, difference %.2f +- %.2f kHz", sol.x[1], diff, err)
    return float(diff), float(err), float(sol.x[3])


def rabi_amplitude_scan(station, amp_max=0.8, n_amps=41, shots=1000, plot=False):
    """Population against the amplitude of one pulse; amplitude of a pi pulse."""
    amps = np.linspace(0.0, amp_max, n_amps)
    pop = []
    for a in amps:
        station.begin()
        station.drive(a)
        pop.append(station.p_excited(shots))
    pop = np.asarray(pop)

    def model(x, a_pi, contrast, floor):
        return floor + contrast * np.sin(np.pi * x / (2 * a_pi)) ** 2

    # scan starting points for a_pi, the cosine has many local minima
    starts = np.linspace(amp_max / 6, 1.2 * amp_max, 30)
    cost = [np.sum((model(amps, s, np.ptp(pop), pop.min()) - pop) ** 2) for s in starts]
    p0 = [starts[int(np.argmin(cost))], np.ptp(pop), pop.min()]
    popt, pcov = curve_fit(model, amps, pop, p0=p0)
    out = {"a_pi": abs(popt[0]), "a_pi_err": np.sqrt(pcov[0, 0]),
           "contrast": popt[1], "floor": popt[2], "amps": amps, "pop": pop}
    if plot:
        import matplotlib.pyplot as plt
        fig, ax = plt.subplots()
        ax.plot(amps, pop, "o")
        ax.plot(amps, model(amps, *popt), "-")
        ax.axvline(out["a_pi"], ls=":")
        ax.set_xlabel("pulse amplitude")
        ax.set_ylabel("P(e)")
        out["figure"] = fig
    return out
