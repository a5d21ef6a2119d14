package dev.sluice.job.lab.plots;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * An axis from 0 to a round number that no value is beyond, and places on it.
 *
 * @param step between two marks
 * @param marks beside that at 0
 */
record Scale(double step, int marks) {
    private static final int MOST_MARKS = 6;

    /** The axis of values up to one. */
    static Scale upTo(double most) {
        double least = most > 0 && Double.isFinite(most) ? most / MOST_MARKS : 1.0 / MOST_MARKS;
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        double step = 10 * power;
        for (int leading : new int[] {5, 2, 1}) {
            step = leading * power >= least * (1 - 1e-9) ? leading * power : step;
        }
        return new Scale(step, Math.max(1, (int) Math.ceil(most / step * (1 - 1e-9))));
    }

    /** Its end. */
    double end() {
        return step * marks;
    }

    /** Where a value is, as a share of the axis. */
    double share(double value) {
        return Math.max(0, Math.min(1, value / end()));
    }

    /** What is written at the marks, from 0 on. */
    List<String> labels() {
        List<String> labels = new ArrayList<>();
        for (int i = 0; i <= marks; i++) {
            labels.add(number(i * step));
        }
        return labels;
    }

    /** A number in few digits. */
    static String number(double value) {
        if (value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        int digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
        String text = String.format(Locale.ROOT, "%,." + digits + "f", value);
        return digits == 3 ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
