package dev.sluice.lab.corridor;

import dev.sluice.job.cluster.Member;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Place where a corridor is measured: a broker in a process of its own beside the job in this one,
 * or the processes of a cluster that is up and stays up.
 */
final class Site implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("Kafka broker at (\\S+), data in .*");
    private static final int HEAP_MEGABYTES = 1024;

    private final @Nullable ClusterTarget cluster;
    private final @Nullable LabProcess broker;
    private final String bootstrap;

    /** Names a cluster that is up. */
    Site(ClusterTarget cluster) {
        this.cluster = cluster;
        this.broker = null;
        this.bootstrap = cluster.bootstrap();
    }

    /**
     * Starts a broker, and waits until it serves.
     *
     * @param folder for its data and its log
     * @throws SluiceException if it does not start, with its log
     */
    Site(Path folder) {
        cluster = null;
        LabProcess process =
                LabProcess.sluice(
                        folder.resolve("broker.log"),
                        null,
                        HEAP_MEGABYTES,
                        List.of(
                                "broker",
                                "--port",
                                "0",
                                "--data",
                                folder.resolve("broker").toString()));
        try {
            String line = process.requireLine();
            Matcher address = ADDRESS.matcher(line);
            if (!address.matches()) {
                throw new SluiceException("sluice broker says '" + line + "' and no address");
            }
            bootstrap = address.group(1);
        } catch (SluiceException e) {
            process.close();
            throw e;
        }
        broker = process;
    }

    /** The broker's address. */
    String bootstrap() {
        return bootstrap;
    }

    /** The cluster that runs the job; null: this process does. */
    @Nullable ClusterTarget cluster() {
        return cluster;
    }

    /** The brokers' processes, whose CPU time is told apart. */
    List<ProcessHandle> brokers() {
        return broker == null ? processes(Member::ofBroker) : List.of(broker.handle());
    }

    /** The processes that run the job; none: this one does. */
    List<ProcessHandle> workers() {
        return processes(member -> !member.ofBroker());
    }

    private List<ProcessHandle> processes(Predicate<Member> which) {
        return cluster == null
                ? List.of()
                : cluster.members().stream()
                        .filter(which)
                        .flatMap(member -> member.process().stream())
                        .toList();
    }

    @Override
    public void close() {
        if (broker != null) {
            broker.close();
        }
    }
}
