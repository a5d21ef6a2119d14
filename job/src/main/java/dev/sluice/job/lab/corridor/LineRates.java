package dev.sluice.job.lab.corridor;

import java.util.ArrayList;
import java.util.List;

/** Packets a second of full Ethernet links, by the length of their frames. */
final class LineRates {
    private static final List<Double> BITS_A_SECOND = List.of(10e9, 40e9, 100e9);
    private static final List<Integer> FRAME_BYTES = List.of(64, 512, 1518);

    /** Preamble, start of frame and the gap between two frames (IEEE 802.3). */
    private static final int BYTES_BETWEEN = 20;

    private LineRates() {}

    /**
     * The rates of 10, 40 and 100 GbE at frames of 64, 512 and 1,518 bytes up to one, ascending.
     */
    static List<Double> upTo(double highest) {
        List<Double> rates = new ArrayList<>();
        for (double bits : BITS_A_SECOND) {
            for (int frame : FRAME_BYTES) {
                double rate = bits / 8 / (frame + BYTES_BETWEEN);
                if (rate <= highest) {
                    rates.add(rate);
                }
            }
        }
        rates.sort(null);
        return rates;
    }
}
