package dev.sluice.job.cli;

import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option {@code --report}: a page for a browser. */
class PageOption implements AutoCloseable {
    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description =
                    "Write the result as one page for a browser to this file, too; it needs no network. docs/guide/ask.md lists its tabs.")
    private @Nullable Path file;

    private @Nullable PageFile page;

    /** Tells whether a page is asked for. */
    boolean isAsked() {
        return file != null;
    }

    /** Refuses to write over other files of the command. */
    void requireUse(List<Path> reads, @Nullable Path writes) {
        OutputPath.require("--report", file, reads);
        if (file != null && writes != null) {
            OutputPath.requireOther("--report", file, List.of(writes));
        }
    }

    /** Opens the page, if one is asked for. */
    PageOption open() {
        if (file != null) {
            page = new PageFile(file);
        }
        return this;
    }

    /** Writes the page, if one is asked for, and says so. */
    void write(Supplier<Page> made, PrintWriter err) {
        if (page != null) {
            page.write(made.get());
            err.println("sluice: the page is in " + file);
        }
    }

    @Override
    public void close() {
        if (page != null) {
            page.close();
        }
    }
}
