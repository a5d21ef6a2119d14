package dev.sluice.job.lab.plots;

import java.util.List;
import java.util.Locale;

/** The drawing of a plot: its room, its vertical axis, the names of what it shows. */
final class Frame {
    static final int WIDTH = 900;
    static final int HEIGHT = 300;
    static final int LEFT = 70;
    static final int BOTTOM = 46;
    private static final int TOP = 12;
    private static final int RIGHT = 16;

    /** Colours that are told apart by those who see few, and in grey (Okabe and Ito, 2008). */
    private static final List<String> COLOURS =
            List.of(
                    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c8c",
                    "#f0e442", "#000000", "#7a5195", "#a05d2c", "#4c9f70");

    private final StringBuilder svg = new StringBuilder();
    private final Scale up;

    /**
     * A drawing with a vertical axis.
     *
     * @param unit of the axis
     */
    Frame(Scale up, String unit) {
        this.up = up;
        add("<svg viewBox='0 0 %d %d' role='img'>", WIDTH, HEIGHT);
        List<String> labels = up.labels();
        for (int i = 0; i < labels.size(); i++) {
            double y = y(i * up.step());
            add("<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>", LEFT, right(), y, y);
            text(LEFT - 8, y + 4, "end", labels.get(i));
        }
        add(
                "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>",
                (TOP + bottom()) / 2, escaped(unit));
    }

    static int right() {
        return WIDTH - RIGHT;
    }

    static int bottom() {
        return HEIGHT - BOTTOM;
    }

    /** Where a value is in height. */
    double y(double value) {
        return bottom() - up.share(value) * (bottom() - TOP);
    }

    /** Colour of the n-th of what is shown. */
    static String colour(int n) {
        return COLOURS.get(n % COLOURS.size());
    }

    void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    void text(double x, double y, String anchor, String text) {
        add("<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>", x, y, anchor, escaped(text));
    }

    /** The figure: title, drawing, and the names of what is shown by their colours. */
    String figure(String title, List<String> names) {
        StringBuilder legend = new StringBuilder();
        for (int i = 0; i < names.size() && names.size() > 1; i++) {
            legend.append("<li><i style='background:%s'></i>".formatted(colour(i)))
                    .append(escaped(names.get(i)))
                    .append("</li>");
        }
        return "<figure><h3>%s</h3>\n%s</svg><ul>%s</ul></figure>%n"
                .formatted(escaped(title), svg, legend);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("'", "&#39;");
    }
}
