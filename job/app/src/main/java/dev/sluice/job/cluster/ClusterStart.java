package dev.sluice.job.cluster;

import com.sun.management.OperatingSystemMXBean;
import dev.sluice.job.kafka.EmbeddedBroker;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.watch.ExitHook;
import dev.sluice.policy.io.DiskSpace;
import dev.sluice.policy.io.SluiceException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;

/** Start of a cluster: waits until it takes jobs, and ends what was started if it cannot. */
public final class ClusterStart {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_MILLIS = 200;
    private static final String SERVES = "Kafka broker at ";

    private final ClusterPlan plan;
    private final ClusterFolder folder;
    private final String command;
    private final List<StartedProcess> started = new ArrayList<>();
    private ClusterState state;

    /**
     * Creates the start of a cluster.
     *
     * @param command main class of the {@code sluice} command, whose {@code broker} is the broker
     */
    public ClusterStart(ClusterPlan plan, String command) {
        this.plan = plan;
        this.folder = plan.folder();
        this.command = command;
        this.state = new ClusterState(plan.host(), 0, "", 0, 0, List.of(), Map.of());
    }

    /**
     * Starts the cluster.
     *
     * @throws SluiceException if it is up already or cannot be started; the text ends with the log
     *     of the process that ended
     */
    public ClusterState start() throws InterruptedException {
        return folder.alone(this::startAlone);
    }

    private ClusterState startAlone() throws InterruptedException {
        requireDown();
        ClusterState.delete(folder);
        folder.emptyTemporary();
        ClusterMemory memory =
                ClusterMemory.of(
                        machineMebibytes(),
                        plan.memoryMebibytes(),
                        plan.taskManagers(),
                        plan.kafka() == null);
        int slots = plan.slotsEach();
        TaskManagerMemory parts =
                TaskManagerMemory.of(memory.taskManager(), slots, slots * plan.taskManagers());
        state =
                new ClusterState(
                        plan.host(),
                        port("--web-port", plan.webPort()),
                        broker(),
                        plan.taskManagers(),
                        slots,
                        List.of(),
                        Map.of());
        ClusterFiles.write(
                folder, state, parts, port("the JobManager's port", 0), plan.webControl());
        return start(memory, parts);
    }

    private void requireDown() {
        Optional<ClusterState> before = ClusterState.read(folder);
        long running =
                before.map(s -> s.members().stream().filter(Member::runs).count()).orElse(0L);
        if (before.isPresent() && running > 0) {
            throw new SluiceException(
                    "the cluster in %s is up already, %d of its %d processes run; see 'sluice cluster status', or end it with 'sluice cluster down'"
                            .formatted(folder.path(), running, before.get().members().size()));
        }
    }

    private static long machineMebibytes() {
        OperatingSystemMXBean machine =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return machine.getTotalMemorySize() >> 20;
    }

    /**
     * Returns the broker's address: of a running one, which must answer, or of the one to start.
     */
    private String broker() {
        KafkaClients given = plan.kafka();
        if (given == null) {
            return plan.host() + ":" + port("--kafka-port", plan.kafkaPort());
        }
        new KafkaAccess(given).close();
        return given.bootstrap();
    }

    private int port(String option, int wanted) {
        return new EmbeddedBroker.Address(plan.host(), wanted, option).freePort();
    }

    private ClusterState start(ClusterMemory memory, TaskManagerMemory parts)
            throws InterruptedException {
        ExitHook atExit = new ExitHook(this::endStarted); // Ctrl-C
        boolean up = false;
        try {
            if (plan.kafka() == null) {
                startBroker(memory);
            }
            startFlink(memory, parts);
            await();
            if (plan.watched()) {
                add(Member.WATCH, ClusterWatch.launch(folder));
            }
            up = true;
            return state;
        } finally {
            if (!up) {
                endStarted();
            }
            atExit.close();
        }
    }

    /** Ends the started processes, so that the next start finds none. */
    private void endStarted() {
        try {
            ClusterEnd.kill(state.members());
            ClusterState.delete(folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void startBroker(ClusterMemory memory) {
        String port = state.bootstrap().substring(state.bootstrap().lastIndexOf(':') + 1);
        add(
                Member.BROKER,
                new Launch(
                        null,
                        List.of("-Xmx" + memory.brokerHeap() + "m", "-XX:+UseG1GC"),
                        List.of(
                                command,
                                "broker",
                                "--data",
                                folder.broker().toString(),
                                "--host",
                                plan.host(),
                                "--port",
                                port)));
    }

    private void startFlink(ClusterMemory memory, TaskManagerMemory parts) {
        String conf = folder.conf().toString();
        add(
                Member.JOB_MANAGER,
                new Launch(
                        null,
                        List.of("-Xmx" + memory.jobManagerHeap() + "m", "-XX:+UseG1GC"),
                        List.of(
                                StandaloneSessionClusterEntrypoint.class.getName(),
                                "--configDir",
                                conf)));
        for (int i = 1; i <= plan.taskManagers(); i++) {
            String role = Member.TASK_MANAGER + i;
            add(
                    role,
                    new Launch(
                            plan.cores().isEmpty() ? null : plan.cores().get(i - 1).text(),
                            parts.jvmOptions(),
                            List.of(
                                    TaskManagerRunner.class.getName(),
                                    "--configDir",
                                    conf,
                                    "-Dtaskmanager.resource-id=" + role)));
        }
    }

    private void add(String role, Launch launch) {
        StartedProcess process = new StartedProcess(folder, role, launch);
        started.add(process);
        state = state.with(process.member(), launch);
        state.write(folder); // at once, so that the next command knows it even if this one ends
    }

    /**
     * Fails if the disk of a cluster's folder is nearly full.
     *
     * @throws SluiceException naming the folder
     */
    public static void requireSpace(ClusterFolder folder) {
        DiskSpace.require(
                folder.path(), "the cluster", "name a folder on a larger disk with --cluster");
    }

    /** Waits until the broker serves and the TaskManagers have registered. */
    private void await() throws InterruptedException {
        ClusterRest rest = new ClusterRest(state);
        long until = System.nanoTime() + PATIENCE.toNanos();
        boolean broker = plan.kafka() != null;
        boolean flink = false;
        while (!broker || !flink) {
            if (started.stream().anyMatch(process -> !process.isAlive())) {
                requireSpace(folder); // the usual reason, in one line
            }
            started.forEach(StartedProcess::requireRunning);
            if (System.nanoTime() > until) {
                throw new SluiceException(
                        "%s after %d s; see %s"
                                .formatted(
                                        broker
                                                ? "not all TaskManagers have registered"
                                                : "the broker does not serve",
                                        PATIENCE.toSeconds(),
                                        folder.logs()));
            }
            Thread.sleep(LOOK_MILLIS);
            broker = broker || started.get(0).printed().contains(SERVES);
            flink =
                    flink
                            || rest.slots()
                                    .filter(s -> s.taskManagers() == state.taskManagers())
                                    .filter(s -> s.all() == state.allSlots())
                                    .isPresent();
        }
    }
}
