package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.page.ReportServer;
import dev.sluice.job.watch.Interruption;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice serve}: pages of reports over HTTP. */
@Command(
        name = "serve",
        description = {
            "Shows the pages of a folder that --report wrote, over HTTP: an index with names and times, and each page. It writes nothing.",
            "It listens on this machine alone unless --listen says otherwise, without authentication: whoever reaches it reads each page.",
            "Exit status 0 after Ctrl-C.",
            ""
        })
final class ServeCommand extends SluiceCommand implements Interruptible {
    private static final long LOOK_MILLIS = 100;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            required = true,
            description =
                    "Folder with pages; files whose names end in .html are served, those of folders below it and links are not.")
    private Path folder = Path.of("");

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
    public Integer call() throws InterruptedException {
        InetSocketAddress at = new InetSocketAddress(host, port);
        if (at.isUnresolved()) {
            throw new UsageException(
                    "--listen %s is not known; name this machine or one of its addresses"
                            .formatted(host));
        }
        try (Interruption interruption = new Interruption();
                ReportServer server = new ReportServer(folder, host, at)) {
            out().println("reports of " + folder + " at " + server.address());
            out().println("Stop it with Ctrl-C.");
            out().flush();
            while (!interruption.isAsked()) {
                Thread.sleep(LOOK_MILLIS);
            }
        }
        say("the server has stopped");
        return 0;
    }

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
