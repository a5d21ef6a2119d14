package dev.sluice.job.lab.plots;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Values over the seconds of a run, a line each. */
public final class LinePlot {
    private static final int MOST_DOTS = 200;

    private final String title;
    private final String unit;
    private final List<String> names = new ArrayList<>();
    private final List<List<Double>> lines = new ArrayList<>();

    /**
     * A plot without lines.
     *
     * @param unit of the values
     */
    public LinePlot(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Adds a line: a value a second. */
    public LinePlot line(String name, List<? extends Number> values) {
        names.add(name);
        lines.add(values.stream().map(Number::doubleValue).toList());
        return this;
    }

    /** The plot as a part of a page. */
    public String figure() {
        double most = lines.stream().flatMap(List::stream).reduce(0.0, Math::max);
        int seconds = lines.stream().mapToInt(List::size).max().orElse(0);
        Scale across = Scale.upTo(Math.max(1, seconds));
        Frame frame = new Frame(Scale.upTo(most), unit);
        List<String> marks = across.labels();
        for (int i = 0; i < marks.size(); i++) {
            frame.text(x(across, i * across.step()), Frame.bottom() + 18, "middle", marks.get(i));
        }
        frame.text((Frame.LEFT + Frame.right()) / 2.0, Frame.HEIGHT - 8, "middle", "second");
        for (int i = 0; i < lines.size(); i++) {
            draw(frame, across, i, seconds <= MOST_DOTS);
        }
        return frame.figure(title, names);
    }

    private void draw(Frame frame, Scale across, int number, boolean dots) {
        List<Double> values = lines.get(number);
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            points.append(
                    String.format(
                            Locale.ROOT, "%.1f,%.1f ", x(across, i + 1), frame.y(values.get(i))));
        }
        frame.add(
                "<polyline fill='none' stroke='%s' stroke-width='2' points='%s'/>",
                Frame.colour(number), points);
        for (int i = 0; dots && i < values.size(); i++) {
            frame.add(
                    "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'><title>%s, second %d: %s</title></circle>",
                    x(across, i + 1),
                    frame.y(values.get(i)),
                    Frame.colour(number),
                    Frame.escaped(names.get(number)),
                    i + 1,
                    Scale.number(values.get(i)));
        }
    }

    private static double x(Scale across, double second) {
        return Frame.LEFT + across.share(second) * (Frame.right() - Frame.LEFT);
    }
}
