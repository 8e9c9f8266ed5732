"""Coherence under echo trains, and T1, for one fixed-frequency transmon.
Run from the calibration notebook, after the single-qubit gates are tuned up.
"""
import numpy as np
from plotly import graph_objects as go
from scipy.optimize import curve_fit

from leeq import Experiment, Sweeper
from leeq.chronicle import log_and_record, register_browser_function
from leeq.utils import setup_logging
from leeq.utils.compatibility import *

logger = setup_logging(__name__)


def _decay(t, amp, tau, offset):
    return amp * np.exp(-t / tau) + offset


def _fit_decay(t, y):
    """Exponential fit. Returns (values, errors), each (amp, tau, offset)."""
    tail = max(3, len(y) // 6)
    offset = float(np.mean(y[-tail:]))
    amp = float(y[0] - offset) or 1e-3
    crossed = np.flatnonzero(np.abs(y - offset) < np.abs(amp) / np.e)
    tau = t[crossed[0]] if crossed.size and crossed[0] > 0 else t[-1] / 3
    popt, pcov = curve_fit(
        _decay, t, y, p0=[amp, tau, offset], maxfev=20000,
        bounds=([-1.5, t[1] / 10, -0.5], [1.5, 50 * t[-1], 1.5]))
    return popt, np.sqrt(np.diag(pcov))


class CarrPurcellEcho(Experiment):
    """Xp - [tau - pi - tau] * n - Xp, swept against the total free time."""

    @log_and_record
    def run(self, dut, collection_name='f01', mprim_index=0, n_pulses=4,
            free_time=120.0, points=61, axis='Y'):
        """
        dut: the transmon element.
        n_pulses: number of refocusing pulses.
        free_time: longest total free evolution.
        axis: 'Y' for CPMG, 'X' for the plain Carr-Purcell train.
        """
        if axis not in ('X', 'Y'):
            raise ValueError(f"axis must be 'X' or 'Y', got {axis!r}")
        c1 = dut.get_c1(collection_name)
        mp = dut.get_measurement_prim_intlist(mprim_index)
        self.mp = mp

        delay = prims.Delay(0)
        lpb = c1['Xp']
        for _ in range(n_pulses):
            lpb = lpb + delay + c1[axis] + delay
        lpb = lpb + c1['Xp'] + mp

        half_max = free_time / (2 * n_pulses)
        step = half_max / (points - 1)
        swp = sweeper(
            np.arange,
            n_kwargs={'start': 0.0, 'stop': half_max + step / 2, 'step': step},
            params=[sparam.func(delay.set_delay, {}, 'delay')])
        basic(lpb, swp, 'p(1)')

        self.trace = np.squeeze(mp.result())
        self.times = 2 * n_pulses * step * np.arange(len(self.trace))
        self.fit()

    def fit(self):
        """Fit the envelope; T2 in the same unit as free_time."""
        self.fit_params = None
        try:
            popt, err = _fit_decay(self.times, self.trace)
        except RuntimeError as exc:
            return logger.warning('echo fit failed: %s', exc)
        self.fit_params = {'Amplitude': popt[0], 'T2': popt[1],
                           'T2_err': err[1], 'Offset': popt[2]}
        logger.info('T2 echo = %.2f +- %.2f us', popt[1], err[1])
        return self.fit_params

    @register_browser_function(available_after=(run,))
    def plot(self):
        fig = go.Figure()
        fig.add_trace(go.Scatter(x=self.times, y=self.trace, mode='markers', name='data'))
        if self.fit_params is not None:
            p = self.fit_params
            fig.add_trace(go.Scatter(
                x=self.times, mode='lines', name='fit',
                y=_decay(self.times, p['Amplitude'], p['T2'], p['Offset'])))
        fig.update_layout(title='Echo train', xaxis_title='Free time [us]',
                          yaxis_title='P(1)', plot_bgcolor='white')
        return fig


class RelaxationT1(Experiment):
    """X - delay - readout, linear grid."""

    @log_and_record
    def run(self, dut, collection_name='f01', mprim_index=0,
            time_length=200.0, time_resolution=4.0):
        c1 = dut.get_c1(collection_name)
        mp = dut.get_measurement_prim_intlist(mprim_index)
        self.mp = mp
        self.time_resolution = time_resolution

        delay = prims.Delay(0)
        lpb = c1['X'] + delay + mp
        swp = sweeper(
            np.arange,
            n_kwargs={'start': 0.0, 'stop': time_length, 'step': time_resolution},
            params=[sparam.func(delay.set_delay, {}, 'delay')])
        basic(lpb, swp, 'p(1)')
        self.trace = np.squeeze(mp.result())

    def fit(self):
        """Sets and returns self.t1, self.t1_err; not called by run."""
        t = self.time_resolution * np.arange(len(self.trace))
        popt, err = _fit_decay(t, self.trace)
        self.t1, self.t1_err = float(popt[1]), float(err[1])
        self.residual_population = float(popt[2])
        return self.t1, self.t1_err


class EchoOrderScan(Experiment):
    """T2 against the number of refocusing pulses; T2 = T2_1 * n ** gamma."""

    @log_and_record
    def run(self, dut, orders=(1, 2, 4, 8), free_time=120.0, points=41):
        self.orders, self.t2, self.t2_err = [], [], []
        for n in orders:
            echo = CarrPurcellEcho(dut=dut, n_pulses=int(n),
                                   free_time=free_time, points=points)
            if echo.fit_params is None:
                continue
            self.orders.append(int(n))
            self.t2.append(echo.fit_params['T2'])
            self.t2_err.append(echo.fit_params['T2_err'])
        self.gamma = None
        if len(self.orders) >= 2:
            self.gamma = float(np.polyfit(np.log(self.orders), np.log(self.t2), 1)[0])
