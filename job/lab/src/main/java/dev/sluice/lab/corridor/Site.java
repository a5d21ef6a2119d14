package dev.sluice.lab.corridor;

import dev.sluice.job.cluster.Member;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.submit.ClusterTarget;
import dev.sluice.lab.kit.LabProcess;
import dev.sluice.lab.kit.TopicTail;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Place where a corridor is measured: a broker in a process of its own beside the job in this one,
 * or the processes of a cluster that is up and stays up.
 */
final class Site implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("Kafka broker at (\\S+), data in .*");
    private static final int HEAP_MEGABYTES = 1024;

    /** Subtasks of a job whose verdicts one thread reads. */
    private static final int SUBTASKS_A_THREAD = 4;

    final CorridorOptions options;

    /** The cluster that runs the job; null: this process does. */
    final @Nullable ClusterTarget cluster;

    final TemporaryDirectory directory;

    /** Takes what a person reads meanwhile. */
    final PrintWriter err;

    /** The broker's address. */
    final String bootstrap;

    private final @Nullable LabProcess broker;

    /**
     * Names a cluster that is up, or starts a broker and waits until it serves.
     *
     * @throws SluiceException if it does not start, with its log
     */
    Site(
            CorridorOptions options,
            @Nullable ClusterTarget cluster,
            TemporaryDirectory directory,
            PrintWriter err) {
        this.options = options;
        this.cluster = cluster;
        this.directory = directory;
        this.err = err;
        if (cluster == null) {
            LabProcess own = broker(directory.path());
            broker = own;
            bootstrap = address(own);
        } else {
            broker = null;
            bootstrap = cluster.bootstrap();
        }
    }

    private static LabProcess broker(Path folder) {
        return LabProcess.sluice(
                folder.resolve("broker.log"),
                null,
                HEAP_MEGABYTES,
                List.of("broker", "--port", "0", "--data", folder.resolve("broker").toString()));
    }

    private static String address(LabProcess broker) {
        try {
            String line = broker.requireLine();
            Matcher address = ADDRESS.matcher(line);
            if (!address.matches()) {
                throw new SluiceException("sluice broker says '" + line + "' and no address");
            }
            return address.group(1);
        } catch (SluiceException e) {
            broker.close();
            throw e;
        }
    }

    /** Makes a folder for files of a run. */
    Path folder(String name) throws IOException {
        return Files.createDirectories(directory.path().resolve(name));
    }

    /**
     * Reads the verdicts of a topic from its start, in as many threads as keep up with the job.
     *
     * @param committed whether to wait for transactions to be committed
     */
    TopicTail watch(String topic, boolean committed, TopicTail.Taker taker) {
        int parts = (options.parallelism + SUBTASKS_A_THREAD - 1) / SUBTASKS_A_THREAD;
        KafkaClients kafka = new KafkaClients(bootstrap);
        List<TopicReader> readers =
                IntStream.range(0, parts)
                        .mapToObj(i -> TopicReader.part(kafka, topic, committed, i, parts))
                        .toList();
        return new TopicTail("corridor bench", readers, taker);
    }

    /** Returns the brokers' processes, whose CPU time is told apart. */
    List<ProcessHandle> brokers() {
        return broker == null ? processes(Member::ofBroker) : List.of(broker.handle());
    }

    /** Returns the processes that run the job; none: this one does. */
    List<ProcessHandle> workers() {
        return processes(member -> !member.ofBroker());
    }

    private List<ProcessHandle> processes(Predicate<Member> which) {
        return cluster == null
                ? List.of()
                : cluster.state().members().stream()
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
