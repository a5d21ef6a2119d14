package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.page.PageServer;
import dev.sluice.job.page.ReportFolder;
import dev.sluice.job.watch.Interruption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice serve}: pages of reports, or of a running job, over HTTP. */
@Command(
        name = "serve",
        description = {
            "Shows pages over HTTP: those of a folder that --report wrote, or with --bootstrap one page of a running job, whose numbers grow. It writes nothing.",
            "It listens on this machine alone unless --listen says otherwise, without authentication: whoever reaches it reads each page.",
            "The page of a job has what its topics hold from --from on. Topics of connections and of a shadow's counts are read where they exist. "
                    + "What cannot be read stands on the page.",
            "Exit status 0 after Ctrl-C.",
            ""
        })
final class ServeCommand extends SluiceCommand implements Interruptible {
    private static final long LOOK_MILLIS = 100;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description =
                    "Folder with pages; files whose names end in .html are served, those of folders below it and links are not.")
    private @Nullable Path folder;

    @Mixin private JobPageOptions job = new JobPageOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST",
            defaultValue = "localhost",
            description =
                    "Name or address of this machine to listen on; 0.0.0.0: all (default ${DEFAULT-VALUE}).")
    private String host = "localhost";

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8080",
            description = "Port to listen on; 0 for a free one (default ${DEFAULT-VALUE}).")
    @Range(to = 0xffff)
    private int port;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path shown = folder;
        if (job.isGiven() == (shown != null)) {
            throw new UsageException(
                    "name a folder of pages with --report DIR, or the Kafka cluster of a running job with --bootstrap HOST:PORT"
                            + (shown == null ? "" : ", not both"));
        }
        if (shown != null) {
            job.requireNone();
        }
        try (Interruption interruption = new Interruption()) {
            if (shown != null) {
                serve(new ReportFolder(shown), "reports of " + shown, interruption::isAsked);
            } else {
                job.show(interruption, this::serve);
            }
        }
        say("the server has stopped");
        return 0;
    }

    private void serve(PageServer.Pages pages, String words, BooleanSupplier ended)
            throws InterruptedException {
        InetSocketAddress at = new InetSocketAddress(host, port);
        if (at.isUnresolved()) {
            throw new UsageException(
                    "--listen %s is not known; name this machine or one of its addresses"
                            .formatted(host));
        }
        try (PageServer server = new PageServer(pages, host, at)) {
            out().println(words + " at " + server.address());
            out().println("Stop it with Ctrl-C.");
            out().flush();
            while (!ended.getAsBoolean()) {
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
