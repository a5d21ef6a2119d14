package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.ShellWord;
import dev.sluice.job.UsageException;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.ClusterReport;
import dev.sluice.job.cluster.ClusterStart;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.CoreList;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cluster up}. */
@Command(
        name = "up",
        description = {
            "Starts a Kafka broker (if --bootstrap names none), a Flink JobManager and TaskManagers as processes "
                    + "that go on when the command ends, waits until they take jobs, and prints what to type next.",
            "They listen on --host alone, without authentication: who reaches it may run what he likes there. "
                    + "Web pages of other origins are refused. A cluster that is up in the folder is left as it is, exit status 1. Topics, checkpoints "
                    + "and logs of the one before stay.",
            "The folder is new, empty or that of a cluster before: of others nothing is touched, exit status 2. "
                    + "The cluster's are conf/, logs/, broker/, checkpoints/, savepoints/, tmp/ and cluster.*: each start "
                    + "writes config.yaml in conf/ anew, and empties tmp/.",
            ""
        })
final class ClusterUpCommand implements Callable<Integer>, Interruptible {
    @Spec private CommandSpec spec;

    @Mixin private ClusterFolderOption folder = new ClusterFolderOption();

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--task-managers",
            paramLabel = "N",
            defaultValue = "1",
            description = "TaskManager processes (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 64)
    private int taskManagers;

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
            description = {
                "Memory of all processes together, as 4g or 6000m; at least 2176m with a broker and one",
                "TaskManager, 1g more for each other. An eighth of it is the broker's (640 MiB to 4 GiB), a",
                "sixteenth the JobManager's (512 MiB to 2 GiB), the TaskManagers share the rest (default: half",
                "of the machine's)."
            })
    private @Nullable Long memory;

    @Option(
            names = "--task-manager-cores",
            paramLabel = "LIST",
            description =
                    "Keep a TaskManager on these cores, as in 4-9, by taskset; say it once for each TaskManager (default: all are where this command is).")
    private List<CoreList> cores = List.of();

    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            description = "Kafka brokers to use, separated by commas (default: one is started).")
    private @Nullable String bootstrap;

    @Mixin private KafkaConfigOption config = new KafkaConfigOption();

    @Option(
            names = "--kafka-port",
            paramLabel = "N",
            defaultValue = "9092",
            description =
                    "Port of the broker that is started; 0 for a free one (default ${DEFAULT-VALUE}).")
    @Range(to = 0xffff)
    private int kafkaPort;

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
            description =
                    "Name or address of this machine to listen on (default ${DEFAULT-VALUE}).")
    private String host = "localhost";

    @Override
    public Integer call() throws InterruptedException {
        ListenAddress.require(host);
        requireCores();
        Long mebibytes = memory == null ? null : Long.valueOf(memory >> 20);
        long begun = System.nanoTime();
        ClusterFolder made = ClusterFolder.make(folder.path());
        ClusterStart.requireSpace(made);
        ClusterPlan plan =
                new ClusterPlan(
                        made,
                        host,
                        webPort,
                        webControl,
                        bootstrap == null
                                ? null
                                : config.clients(bootstrap, spec.commandLine().getErr()),
                        kafkaPort,
                        taskManagers,
                        cores,
                        slots,
                        true,
                        mebibytes);
        ClusterState state = new ClusterStart(plan, Main.class.getName()).start();
        long nanos = System.nanoTime() - begun;
        if (json.isGiven()) {
            JsonOption.print(spec.commandLine().getOut(), object(state, made, nanos));
        } else {
            tell(state, made, TimeUnit.NANOSECONDS.toSeconds(nanos));
        }
        return 0;
    }

    private static ObjectNode object(ClusterState state, ClusterFolder made, long nanos) {
        return JsonOption.object()
                .put("folder", made.path().toString())
                .put("web", state.web())
                .put("bootstrap", state.bootstrap())
                .put("task_managers", state.taskManagers())
                .put("slots", state.allSlots())
                .put("seconds", nanos / 1e9);
    }

    private void requireCores() {
        if (!cores.isEmpty() && cores.size() != taskManagers) {
            throw new UsageException(
                    "--task-manager-cores is given %s for %s; give it once for each"
                            .formatted(
                                    Amount.of(cores.size(), "time"),
                                    Amount.of(taskManagers, "TaskManager")));
        }
    }

    private void tell(ClusterState state, ClusterFolder made, long seconds) {
        PrintWriter out = spec.commandLine().getOut();
        String secured = bootstrap == null ? "" : config.words();
        String to = " --bootstrap " + state.bootstrap() + secured;
        String folder = ShellWord.of(made.path());
        String here = " --cluster " + folder;
        out.println(
                "Flink cluster in %s: %s with %s, up after %d s"
                        .formatted(
                                made.path(),
                                Amount.of(state.taskManagers(), "TaskManager"),
                                Amount.of(state.allSlots(), "slot"),
                                seconds));
        ClusterReport.printPlaces(made, state, out);
        out.println("It goes on until 'sluice cluster down" + here + "'. What to type next:");
        out.println("  sluice rules publish --rules RULES" + to);
        out.println("  sluice run --cluster " + folder + " --create-topics" + secured);
        out.println("  sluice export CAPTURE" + to);
        out.println("  sluice verdicts --follow" + to);
        out.println("  sluice cluster status" + here);
        out.flush();
    }

    @Override
    public String whereItStands() {
        return "what it had started is ended; 'sluice cluster status' tells whether anything runs";
    }
}
