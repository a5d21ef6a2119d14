package dev.sluice.job.cli;

import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.CoreList;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of a cluster to start: its processes, where they listen, and what they may take. */
final class ClusterPlanOptions {
    @ArgGroup private TaskManagers taskManagers = new TaskManagers();

    /** One of these at most. */
    private static final class TaskManagers {
        @Option(
                names = "--task-managers",
                paramLabel = "N",
                description = "TaskManager processes (default: 1).")
        @Range(from = 1, to = 64)
        private int number = 1;

        @Option(
                names = "--task-manager-cores",
                paramLabel = "LIST",
                description =
                        "Start a TaskManager on these cores, as in 4-9, by taskset; say it once for each TaskManager.")
        private List<CoreList> cores = List.of();
    }

    @ArgGroup private Kafka kafka = new Kafka();

    /** One of these at most. */
    private static final class Kafka {
        @Option(
                names = "--bootstrap",
                paramLabel = "HOST:PORT",
                description =
                        "Kafka brokers to use, separated by commas (default: one is started).")
        private @Nullable String bootstrap;

        @Option(
                names = "--kafka-port",
                paramLabel = "N",
                description =
                        "Port of the broker that is started; 0 for a free one (default: 9092).")
        @Range(to = 0xffff)
        private int port = 9092;
    }

    @Option(
            names = "--slots",
            paramLabel = "N",
            description =
                    "Slots of each TaskManager: how many subtasks of the job it runs (default: together one for each core, two at least).")
    @Range(from = 1, to = 256)
    private @Nullable Integer slots;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = Sizes.class,
            description =
                    "Memory of all processes together, as 4g or 6000m; at least 2176m with a broker and one TaskManager, 1g more for each further one. The broker has an eighth of it (640 MiB to 4 GiB), the JobManager a sixteenth (512 MiB to 2 GiB), and the TaskManagers share the rest (default: half of the machine's).")
    private @Nullable Long memory;

    @Mixin private KafkaConfigOption config = new KafkaConfigOption();

    @Option(
            names = "--web-port",
            paramLabel = "N",
            defaultValue = "8081",
            description =
                    "Port of Flink's web interface; 0 for a free one (default ${DEFAULT-VALUE}).")
    @Range(to = 0xffff)
    private int webPort;

    @Option(
            names = "--web-control",
            description =
                    "Let the web interface upload and run jars, and show buttons that cancel jobs. Web pages of other origins are refused with it and without.")
    private boolean webControl;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "localhost",
            converter = ListenAddress.class,
            description =
                    "Name or address of this machine to listen on (default ${DEFAULT-VALUE}).")
    private String host = "localhost";

    /**
     * The plan of the cluster.
     *
     * @param err takes warnings
     */
    ClusterPlan plan(ClusterFolder folder, PrintWriter err) {
        return new ClusterPlan(
                folder,
                host,
                webPort,
                webControl,
                kafka.bootstrap == null ? null : config.clients(kafka.bootstrap, err),
                kafka.port,
                taskManagers.cores.isEmpty() ? taskManagers.number : taskManagers.cores.size(),
                taskManagers.cores,
                slots,
                true,
                memory == null ? null : Long.valueOf(memory >> 20));
    }

    /** The option of a broker's configuration again, for commands to be typed; else empty. */
    String secured() {
        return kafka.bootstrap == null ? "" : config.words();
    }
}
