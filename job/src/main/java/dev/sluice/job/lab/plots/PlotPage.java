package dev.sluice.job.lab.plots;

/** A page of plots, whole in itself: no script, no font, nothing to load. */
public final class PlotPage {
    private final String title;
    private final StringBuilder body = new StringBuilder();

    /** A page without plots. */
    public PlotPage(String title) {
        this.title = title;
    }

    /** Adds a heading. */
    public PlotPage section(String heading) {
        body.append("<h2>").append(Frame.escaped(heading)).append("</h2>\n");
        return this;
    }

    /** Adds a paragraph. */
    public PlotPage say(String text) {
        body.append("<p>").append(Frame.escaped(text)).append("</p>\n");
        return this;
    }

    /** Adds a plot. */
    public PlotPage plot(String figure) {
        body.append(figure);
        return this;
    }

    /** The page. */
    public String html() {
        return """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><title>%s</title>
                <style>
                body{font:15px/1.4 sans-serif;color:#222;max-width:940px;margin:2em auto;padding:0 1em}
                figure{margin:1.2em 0 2em} h3{font-size:1em;margin:.2em 0}
                svg{width:100%%;background:#fafafa;border:1px solid #ddd} svg text{font:12px sans-serif;fill:#333}
                .grid{stroke:#ddd} ul{list-style:none;margin:.3em 0;padding:0}
                li{display:inline-block;margin-right:1.2em} i{display:inline-block;width:.8em;height:.8em;margin-right:.4em}
                </style></head><body>
                <h1>%s</h1>
                %s</body></html>
                """
                .formatted(Frame.escaped(title), Frame.escaped(title), body);
    }
}
