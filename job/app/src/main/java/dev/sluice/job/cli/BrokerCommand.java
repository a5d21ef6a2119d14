package dev.sluice.job.cli;

import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice broker}: a Kafka broker alone, to try things on one machine. */
@Command(
        name = "broker",
        description = {
            "Runs a Kafka broker in this process until it is stopped, to try Sluice on one machine: one node, "
                    + "without authentication, its topics kept in a folder.",
            "It stops with one line when less than 48 MiB are free there.",
            "It prints what to type next.",
            ""
        })
final class BrokerCommand extends SluiceCommand implements Interruptible {
    private static final long LOOK_MILLIS = 200;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "sluice-broker",
            description =
                    "Folder for its data, made where it is missing; a broker that finds data there goes on with it (default ${DEFAULT-VALUE}).")
    private Path data = Path.of("sluice-broker");

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "9092",
            description = "Port to listen on; 0 for a free one (default ${DEFAULT-VALUE}).")
    @Range(to = 0xffff)
    private int port;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "localhost",
            converter = ListenAddress.class,
            description =
                    "Name or address of this machine to listen on, under which clients reach the broker. Whoever reaches the broker may do everything there (default ${DEFAULT-VALUE}).")
    private String host = "localhost";

    @Override
    public Integer call() throws InterruptedException {
        Path folder = folder();
        requireSpace(folder);
        EmbeddedBroker broker =
                EmbeddedBroker.start(folder, new EmbeddedBroker.Address(host, port, "--port"));
        Thread atExit = new Thread(() -> stop(broker, folder));
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            tell(broker.bootstrap(), folder);
            while (broker.failure() == null) {
                requireSpace(folder);
                Thread.sleep(LOOK_MILLIS);
            }
            requireSpace(folder);
            throw new SluiceException(
                    "the broker cannot go on: " + broker.failure() + "; its data is in " + folder);
        } finally {
            if (Runtime.getRuntime().removeShutdownHook(atExit)) {
                stop(broker, folder);
            }
        }
    }

    /**
     * Ends the broker before its disk is full: Kafka then neither serves nor ends, and its last
     * files cannot be closed.
     */
    private static void requireSpace(Path folder) {
        DiskSpace.require(
                folder, "the broker's data", "name a folder on a larger disk with --data");
    }

    private Path folder() {
        try {
            TextFiles.makeFolder(data);
            return data.toRealPath();
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeMaking(data, e), e);
        }
    }

    private void stop(EmbeddedBroker broker, Path folder) {
        broker.close();
        say("the broker has stopped; its data stays in " + folder);
    }

    private void tell(String bootstrap, Path folder) {
        String to = " --bootstrap " + bootstrap;
        out().println("Kafka broker at " + bootstrap + ", data in " + folder);
        out().println("Stop it with Ctrl-C. In other terminals:");
        out().println("  sluice rules publish --rules RULES" + to);
        out().println("  sluice run --create-topics" + to);
        out().println("  sluice export CAPTURE" + to);
        out().println("  sluice verdicts --follow" + to);
    }

    @Override
    public String whereItStands() {
        return ITSELF;
    }
}
