package dev.sluice.lab.soak;

import dev.sluice.job.cli.Main;
import dev.sluice.job.cluster.ClusterEnd;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.ClusterPlan;
import dev.sluice.job.cluster.ClusterRest;
import dev.sluice.job.cluster.ClusterStart;
import dev.sluice.job.cluster.ClusterState;
import dev.sluice.job.cluster.JobEnd;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.ruletopic.RulePublisher;
import dev.sluice.lab.kit.TopicBound;
import dev.sluice.policy.io.SluiceException;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * The cluster that is put to the test, with its job. It is started as {@code sluice cluster up}
 * starts one; the job is handed over and resumed by {@code sluice run}.
 */
final class SoakCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long LOOK_MILLIS = 100;
    private static final Pattern JOB = Pattern.compile("as job ([0-9a-f]{32})");
    private static final Pattern VERDICT_TRANSACTION =
            Pattern.compile("sluice-verdicts-(\\d+)-\\d+");
    private static final String CHECKPOINT = "chk-";

    private final ClusterFolder folder;
    private final ClusterState first;
    private final List<String> options;
    private final List<String> lost = new ArrayList<>();
    private volatile String job = "";
    private boolean ended; // guarded by this

    /**
     * Starts a cluster.
     *
     * @param checkpointMillis time between checkpoints of its job
     * @param bounded whether the topics are to stay small, for a run in which nothing falls behind
     */
    SoakCluster(
            Path path,
            int taskManagers,
            long memoryMebibytes,
            long checkpointMillis,
            boolean bounded)
            throws InterruptedException {
        folder = ClusterFolder.make(path);
        ClusterStart start =
                new ClusterStart(
                        new ClusterPlan(
                                folder,
                                "localhost",
                                0,
                                false,
                                null,
                                0,
                                taskManagers,
                                List.of(),
                                1,
                                false, // starts again what it has killed
                                memoryMebibytes),
                        Main.class.getName());
        options = List.of("--checkpoint-interval", String.valueOf(checkpointMillis));
        first = start.start();
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap()))) {
            List<NewTopic> topics = KafkaAccess.newTopics(TopicNames.defaults(), taskManagers);
            access.createTopics(bounded ? bounded(topics) : topics);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Topics whose old messages go: the rules' by their publisher, the others' by Kafka. */
    private static List<NewTopic> bounded(List<NewTopic> topics) {
        TopicBound bound = new TopicBound(TopicBound.LEAST_BYTES);
        List<NewTopic> all = new ArrayList<>();
        for (NewTopic topic : topics) {
            Map<String, String> own = topic.configs() == null ? Map.of() : topic.configs();
            Map<String, String> configs = new HashMap<>(bound.apply(topic).configs());
            configs.putAll(own); // the rules are kept until their publisher deletes them
            all.add(topic.configs(configs));
        }
        return all;
    }

    /** Its broker. */
    String bootstrap() {
        return first.bootstrap();
    }

    /** Address of its web interface. */
    String web() {
        return first.web();
    }

    /** Folder of its logs. */
    Path logs() {
        return folder.logs();
    }

    /** Hands the job over. */
    void run() {
        submit(List.of("run", "--from", "earliest"));
    }

    private void submit(List<String> command) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("--cluster", folder.path().toString()));
        words.addAll(options);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                Main.run(words.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        Matcher id = JOB.matcher(out.toString());
        if (status != 0 || !id.find()) {
            throw new SluiceException(
                    "'sluice %s' ends with status %d: %s"
                            .formatted(String.join(" ", words), status, (out + "" + err).strip()));
        }
        job = id.group(1);
    }

    /** Fails if the job has ended. */
    void requireJob() throws InterruptedException {
        for (ClusterRest.Job known : new ClusterRest(first).jobs()) {
            if (known.id().equals(job) && known.ended()) {
                throw new SluiceException(
                        "the job has ended by itself, as " + known.state() + "; see " + logs());
            }
        }
    }

    /** Id of the job as it was submitted last. */
    String job() {
        return job;
    }

    /** Number of the newest complete checkpoint of the job as it was submitted last; 0: none. */
    long checkpoint() {
        String[] complete =
                folder.checkpoints()
                        .resolve(job)
                        .toFile()
                        .list((jobs, name) -> new File(jobs, name + "/_metadata").exists());
        return Arrays.stream(complete == null ? new String[0] : complete)
                .filter(name -> name.startsWith(CHECKPOINT))
                .mapToLong(name -> Long.parseLong(name.substring(CHECKPOINT.length())))
                .max()
                .orElse(0);
    }

    /** Role of a TaskManager, by any number. */
    String taskManager(int which) {
        return Member.TASK_MANAGER + (1 + which % first.taskManagers());
    }

    /**
     * Starts TaskManagers again that have ended by themselves. Flink ends one for good whose task
     * fails once more while it is cleaned up: seen where the TaskManager that it read from is
     * killed.
     */
    void startLost() {
        for (int i = 0; i < first.taskManagers(); i++) {
            String role = taskManager(i);
            if (state().member(role).filter(Member::runs).isEmpty()) {
                again(role);
                lost.add(role);
            }
        }
    }

    /** Roles of the processes that {@link #startLost} has found ended. */
    List<String> lost() {
        return lost;
    }

    /** Its present processes. */
    private ClusterState state() {
        return ClusterState.read(folder).orElseThrow(() -> ClusterEnd.noCluster(folder));
    }

    /** Ends a process by SIGKILL, and waits until it is gone. */
    void kill(String role) {
        ProcessHandle process =
                state().member(role)
                        .flatMap(Member::process)
                        .orElseThrow(() -> new SluiceException(role + " had ended by itself"));
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Starts a process again, which must not run. */
    synchronized void again(String role) {
        if (ended) {
            throw new SluiceException("the cluster in %s was ended".formatted(folder.path()));
        }
        ClusterState now = state();
        if (now.member(role).filter(Member::runs).isPresent()) {
            throw new SluiceException(role + " runs, and cannot be started again");
        }
        now.startAgain(folder, role);
    }

    /**
     * Transactions of verdicts that a checkpoint has ended and nobody has committed: of each
     * subtask, all that are open but the one that it writes to. Where a subtask has written nothing
     * behind the checkpoint, that is one too few.
     */
    long uncommitted() {
        Map<String, Long> open =
                openTransactions().stream()
                        .map(VERDICT_TRANSACTION::matcher)
                        .filter(Matcher::matches)
                        .collect(Collectors.groupingBy(id -> id.group(1), Collectors.counting()));
        return open.values().stream().mapToLong(transactions -> transactions - 1).sum();
    }

    /** Tells whether a publisher of rules has begun a transaction and not ended it. */
    boolean publishes() {
        return openTransactions().stream()
                .anyMatch(id -> id.startsWith(RulePublisher.TRANSACTIONS));
    }

    private Collection<String> openTransactions() {
        try (KafkaAccess access = new KafkaAccess(new KafkaClients(bootstrap()))) {
            return access.openTransactions();
        }
    }

    /** Ids of the Flink processes by their roles. */
    Map<String, Long> flinkProcesses() {
        Map<String, Long> ids = new TreeMap<>();
        for (Member member : state().members()) {
            if (!member.role().equals(Member.BROKER)) {
                ids.put(member.role(), member.pid());
            }
        }
        return ids;
    }

    /** Its folder. */
    ClusterFolder folder() {
        return folder;
    }

    /** Waits until a broker that was started again serves. */
    void awaitBroker() {
        long until = System.nanoTime() + PATIENCE.toNanos();
        boolean serves = false;
        while (!serves) {
            try {
                new KafkaAccess(new KafkaClients(bootstrap())).close();
                serves = true;
            } catch (SluiceException e) {
                if (System.nanoTime() - until > 0) {
                    throw e;
                }
            }
        }
    }

    /** Waits until a JobManager that was started again has all slots, and has the job go on. */
    void resume() throws InterruptedException {
        awaitSlots();
        Path newest =
                CheckpointFolder.newestComplete(folder.checkpoints())
                        .orElseThrow(
                                () ->
                                        new SluiceException(
                                                "no complete checkpoint lies in "
                                                        + folder.checkpoints()));
        submit(List.of("run", "--savepoint", newest.toString()));
    }

    /** Waits until a JobManager that was started again has all slots, with no job in them. */
    void awaitSlots() throws InterruptedException {
        ClusterRest rest = new ClusterRest(first);
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (rest.slots().filter(s -> s.free() == first.allSlots()).isEmpty()) {
            if (System.nanoTime() - until > 0) {
                throw new SluiceException(
                        "a JobManager that was started again does not get its TaskManagers within %d s; see %s"
                                .formatted(PATIENCE.toSeconds(), logs()));
            }
            startLost();
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Ends the job behind a savepoint. */
    void stopJob() throws InterruptedException {
        new JobEnd(folder).stop(null, null, false);
    }

    /** Ends the cluster in good order. */
    void down() throws InterruptedException {
        new ClusterEnd(folder, line -> {}).end();
    }

    /** Ends the processes at once, if they run; none can be started any more. */
    @Override
    public synchronized void close() {
        ended = true;
        ClusterState.read(folder).ifPresent(now -> now.members().forEach(SoakCluster::kill));
        ClusterState.delete(folder);
    }

    private static void kill(Member member) {
        member.process().ifPresent(ProcessHandle::destroyForcibly);
    }
}
