package dev.sluice.job.lab.plots;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of several runs as bars: side by side, or on top of each other as parts of a whole. */
public final class BarPlot {
    private static final double SHARE_OF_ROOM = 0.72;
    private static final int MOST_WIDTH = 120;

    private final String title;
    private final String unit;
    private final boolean stacked;
    private final List<String> runs = new ArrayList<>();

    /** By what is measured: its value in each run so far. */
    private final Map<String, List<Double>> values = new LinkedHashMap<>();

    private BarPlot(String title, String unit, boolean stacked) {
        this.title = title;
        this.unit = unit;
        this.stacked = stacked;
    }

    /** A plot whose values are parts of one whole. */
    public static BarPlot ofParts(String title, String unit) {
        return new BarPlot(title, unit, true);
    }

    /** A plot whose values stand beside each other. */
    public static BarPlot sideBySide(String title, String unit) {
        return new BarPlot(title, unit, false);
    }

    /** Adds a run; what it does not name is 0 there. */
    public BarPlot run(String name, Map<String, Double> measured) {
        measured.keySet()
                .forEach(
                        key ->
                                values.computeIfAbsent(
                                        key, k -> new ArrayList<>(zeros(runs.size()))));
        runs.add(name);
        values.forEach((key, all) -> all.add(measured.getOrDefault(key, 0.0)));
        return this;
    }

    private static List<Double> zeros(int count) {
        return new ArrayList<>(java.util.Collections.nCopies(count, 0.0));
    }

    /** The plot as a part of a page. */
    public String figure() {
        Frame frame = new Frame(Scale.upTo(most()), unit);
        double room = (double) (Frame.right() - Frame.LEFT) / Math.max(1, runs.size());
        int beside = stacked ? 1 : Math.max(1, values.size());
        double width = Math.min(MOST_WIDTH, SHARE_OF_ROOM * room / beside);
        for (int run = 0; run < runs.size(); run++) {
            double middle = Frame.LEFT + room * (run + 0.5);
            frame.text(middle, Frame.bottom() + 18, "middle", runs.get(run));
            double below = 0;
            int number = 0;
            for (Map.Entry<String, List<Double>> part : values.entrySet()) {
                double value = part.getValue().get(run);
                double left = middle + width * (stacked ? -0.5 : number - beside / 2.0);
                double top = frame.y(below + value);
                frame.add(
                        "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'><title>%s, %s: %s</title></rect>",
                        left,
                        top,
                        Math.max(1, width - 1),
                        frame.y(below) - top,
                        Frame.colour(number),
                        Frame.escaped(runs.get(run)),
                        Frame.escaped(part.getKey()),
                        Scale.number(value));
                if (!stacked) {
                    frame.text(left + width / 2, top - 3, "middle", Scale.number(value));
                }
                below += stacked ? value : 0;
                number++;
            }
            if (stacked) {
                frame.text(middle, frame.y(below) - 4, "middle", Scale.number(below));
            }
        }
        return frame.figure(title, List.copyOf(values.keySet()));
    }

    /** The highest bar, with room for the number over it. */
    private double most() {
        double most = 0;
        for (int run = 0; run < runs.size(); run++) {
            int at = run;
            double all =
                    stacked
                            ? values.values().stream().mapToDouble(v -> v.get(at)).sum()
                            : values.values().stream().mapToDouble(v -> v.get(at)).max().orElse(0);
            most = Math.max(most, all);
        }
        return 1.06 * most;
    }
}
