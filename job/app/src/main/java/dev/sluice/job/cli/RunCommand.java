package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.archive.ArchiveFiles;
import dev.sluice.job.archive.ArchiveJob;
import dev.sluice.job.archive.ArchiveOptions;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.cluster.ClusterFolder;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.CheckpointFolder;
import dev.sluice.job.graph.JobIdentity;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.job.graph.Recovery;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.kafka.TopicReader;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.job.ruletopic.RuleTopicSettings;
import dev.sluice.job.sink.TransactionalIdGuard;
import dev.sluice.job.watch.JobFigures;
import dev.sluice.job.watch.JobRest;
import dev.sluice.job.watch.JobWatch;
import dev.sluice.job.watch.StatusLine;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.RulesTime;
import dev.sluice.policy.io.SluiceException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice run}: the job against any Kafka, on a running Flink cluster or in this process. */
@Command(
        name = "run",
        description = {
            "Runs the classification job against a Kafka cluster: on a running Flink cluster with "
                    + "--flink, on the one that 'sluice cluster up' has started with --cluster, else in this "
                    + "process until it is stopped.",
            "With --captures it needs no Kafka: it judges captures, writes files of verdicts, and ends.",
            "'flink run sluice-job.jar OPTIONS' takes the same options.",
            ""
        })
public sealed class RunCommand implements Callable<Integer>, Interruptible permits ResumeCommand {
    private static final int DEFAULT_PARALLELISM = 2;

    /** Options of a submission, not of the job. */
    private static final Set<String> OF_SUBMISSION =
            Set.of(
                    "--cluster",
                    "--restore",
                    "--flink",
                    "--job-jar",
                    "--create-topics",
                    "--watch",
                    "--status-every",
                    "--log-level",
                    "--debug");

    /** How often it is looked whether the job has ended, or is to. */
    private static final Duration LOOK = Duration.ofMillis(100);

    /** How long the end of the job may take when this command is stopped. */
    private static final long CANCEL_SECONDS = 30;

    private static final Duration LOOK_THERE = Duration.ofMillis(500);
    private static final Set<String> ENDED = Set.of("FINISHED", "FAILED", "CANCELED");

    @Spec private CommandSpec spec;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private TopicOptions topics = TopicOptions.optional(TopicOptions.Topic.values());

    @Mixin private TopicCreation creation = new TopicCreation();

    @Option(
            names = "--flink",
            paramLabel = "HOST:PORT",
            description = "REST address of a running Flink cluster to submit to.")
    private @Nullable String flink;

    @Option(
            names = "--cluster",
            arity = "0..1",
            fallbackValue = ClusterFolder.USUAL,
            paramLabel = "DIR",
            description =
                    "Submit to the cluster that 'sluice cluster up' has started in this folder (${FALLBACK-VALUE} where none is named); the job goes on without this command, its checkpoints in that folder.")
    private @Nullable Path cluster;

    @Option(
            names = "--restore",
            paramLabel = "DIR",
            description =
                    "With --cluster: go on from this checkpoint or savepoint, as 'sluice stop' and 'sluice cluster down' name it.")
    private @Nullable Path restore;

    @Option(
            names = "--job-jar",
            paramLabel = "JAR",
            description = "Job jar to submit (default: the one of this installation).")
    private Path jobJar = Path.of(System.getProperty("sluice.job.jar", "sluice-job.jar"));

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description =
                    "Parallelism of the job (default: 2; with --cluster all its free slots; under flink run, what the client says).")
    private @Nullable Integer parallelism;

    @Option(
            names = "--job-name",
            paramLabel = "NAME",
            defaultValue = LocalFlink.JOB_NAME,
            description =
                    "Name of a job on a cluster: 'sluice cluster status' shows it, 'sluice stop NAME' and the like take it (default ${DEFAULT-VALUE}).")
    private String jobName = LocalFlink.JOB_NAME;

    @Option(
            names = "--packet-format",
            paramLabel = "FORMAT",
            defaultValue = "avro",
            description = {
                "What the packets topic holds: avro (blocks and single headers, told apart by their schemas) or",
                "frames (one raw Ethernet frame a message, as Apache Metron's pycapa and fastcapa write them;",
                "the key is the capture time as 8 bytes, big-endian, in µs since 1970, else the message's",
                "timestamp counts); inner-frames is frames with --headers inner (default ${DEFAULT-VALUE})."
            })
    private String packetFormat = "avro";

    @Mixin private HeaderOptions headers = new HeaderOptions();

    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Flow shards that single headers and frames are spread over (default ${DEFAULT-VALUE}).")
    private int shards;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            defaultValue = "sluice",
            description = "Prefix of the consumer groups (default ${DEFAULT-VALUE}).")
    private String group = "sluice";

    @Option(
            names = "--from",
            paramLabel = "WHERE",
            defaultValue = "committed",
            description =
                    "Where a job without state starts in the packets topic: earliest, latest or committed, which is "
                            + "earliest where the group has committed nothing (default ${DEFAULT-VALUE}).")
    private String from = "committed";

    @Option(
            names = "--bounded",
            description =
                    "End at the offsets that are the last when the job starts; a job that goes on from --checkpoints ends where it was to end.")
    private boolean bounded;

    @Mixin private VerdictOptions verdicts = new VerdictOptions();

    @Option(
            names = "--transactional-id-prefix",
            paramLabel = "TEXT",
            defaultValue = "sluice",
            description =
                    "Prefix of Kafka transactional ids; each job of a Kafka cluster needs its own (default ${DEFAULT-VALUE}).")
    private String transactionPrefix = "sluice";

    @Option(
            names = "--transaction-timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            converter = Times.Written.class,
            description =
                    "How long a Kafka transaction may stay open; at most the broker's transaction.max.timeout.ms (default ${DEFAULT-VALUE}; a bare number is in s).")
    private String transactionTimeout = "";

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Times.Written.class,
            description =
                    "Time between checkpoints; verdicts become visible with them (default ${DEFAULT-VALUE}; a bare number is in ms).")
    private String checkpointInterval = "";

    @Option(
            names = "--checkpoints",
            paramLabel = "DIR",
            description =
                    "When the job runs in this process: folder for its checkpoints. A job that finds one there goes on from it, after kill -9 too; the one before must have been --bounded if this one is, and only then (default: a temporary folder, from the start each time).")
    private @Nullable Path checkpoints;

    @Mixin private RulesTimeArguments rulesTime = new RulesTimeArguments();

    @Mixin private LiveRulesArguments liveRules = new LiveRulesArguments();

    @Mixin private StatisticsArguments statistics = new StatisticsArguments();

    @Mixin private StatusOptions status = new StatusOptions();

    @Option(
            names = "--watch",
            description =
                    "With --cluster or --flink: stay and show where the job stands, from the cluster's REST interface, until it ends; it goes on when this command is stopped.")
    private boolean watch;

    @Mixin private BatchOptions batch = new BatchOptions();

    @Mixin private EngineArguments engine = new EngineArguments();

    @Mixin private ArchiveArguments archive = new ArchiveArguments();

    /** True while the wait for the job reports an interruption. */
    private volatile boolean saysItself;

    /** True if {@code flink run} set up the execution environment. */
    private boolean inFlinkClient;

    /** A command for {@code flink run}: the client's environment decides where the job runs. */
    public static RunCommand inFlinkClient() {
        RunCommand command = new RunCommand();
        command.inFlinkClient = true;
        return command;
    }

    @Override
    public Integer call() throws Exception {
        if (watch && (inFlinkClient || flink == null && cluster == null)) {
            throw new UsageException(
                    "--watch goes with --cluster or --flink; a job in this process is always shown");
        }
        boolean there = flink != null || cluster != null;
        requireJobName(there);
        archive.requireUse(spec);
        bounded |= archive.isGiven();
        if (json.isGiven() && (inFlinkClient || watch || !there && !bounded)) {
            throw new UsageException(
                    "--json tells what a job has counted that ends in this process, or the id of one that was submitted; say --bounded, or --cluster or --flink without --watch");
        }
        requireUse();
        if (archive.isGiven()) {
            return judgeCaptures();
        }
        ClusterTarget target = inFlinkClient ? null : target();
        topics.useBroker(target == null ? null : target.bootstrap());
        JobOptions options = options();
        if (target != null && parallelism == null) {
            parallelism = target.freeSlots();
        }
        FlinkAddress remote = flink == null || inFlinkClient ? null : FlinkAddress.parse(flink);
        if (remote != null) {
            remote.requireAnswer();
        }
        boolean here = !inFlinkClient && remote == null && target == null;
        try (@Nullable CheckpointFolder kept =
                checkpoints == null || !here ? null : CheckpointFolder.open(checkpoints, bounded)) {
            start(options, target, remote, kept);
        }
        return 0;
    }

    private void requireJobName(boolean there) {
        if (!there && !inFlinkClient) {
            GivenOptions.refuse(
                    spec,
                    List.of("--job-name"),
                    name ->
                            name
                                    + " goes with --cluster or --flink; in this process a job is alone");
        }
        if (jobName.isBlank() || jobName.chars().anyMatch(Character::isISOControl)) {
            throw new UsageException(
                    "--job-name is blank or has control characters; write words that can be seen");
        }
    }

    private int judgeCaptures() throws Exception {
        ClusterTarget target = inFlinkClient ? null : target();
        FlinkAddress remote = flink == null || inFlinkClient ? null : FlinkAddress.parse(flink);
        ArchiveOptions options =
                archive.open(
                        engine.toOptions(),
                        headers,
                        checkpointInterval(),
                        restore != null,
                        inFlinkClient,
                        () -> otherWriter(target),
                        spec.commandLine().getErr());
        if (target != null && parallelism == null) {
            parallelism = target.freeSlots();
        }
        if (remote != null) {
            remote.requireAnswer();
        }
        SubmittedOptions given =
                new SubmittedOptions(GivenOptions.words(spec, OF_SUBMISSION), "", "");
        List<String> defects = new ArrayList<>();
        Consumer<StreamExecutionEnvironment> graph =
                target == null
                        ? env -> ArchiveJob.build(env, options)
                        : env -> target.build(env, options);
        launch(graph, target, remote, given, () -> judgeHere(graph, options.verdicts(), defects));
        return defects.isEmpty() ? 0 : 1;
    }

    /** A job that may write a folder of verdicts where this one is to run. */
    private Optional<String> otherWriter(@Nullable ClusterTarget target) {
        if (target != null) {
            return target.archiveJob().map(job -> "job " + job + " runs on this cluster");
        }
        return inFlinkClient || flink != null
                ? Optional.of("a job on that cluster may still write them")
                : Optional.empty();
    }

    @SuppressWarnings("try") // the folder is held, and the lock not used otherwise
    private void judgeHere(
            Consumer<StreamExecutionEnvironment> graph, String verdicts, List<String> defects)
            throws Exception {
        try (ArchiveFiles.Held alone = ArchiveFiles.hold(archive.given(), verdicts)) {
            judgeAlone(graph, verdicts, defects);
        }
    }

    private void judgeAlone(
            Consumer<StreamExecutionEnvironment> graph, String verdicts, List<String> defects)
            throws Exception {
        try {
            runHere(
                    graph,
                    ArchiveFiles.here(verdicts).stream().toList(),
                    local -> defects.addAll(report(local)));
        } finally {
            ArchiveFiles.deleteUnfinished(verdicts);
        }
    }

    /** Says where the verdicts are, and which captures did not end cleanly. */
    private List<String> report(LocalFlink ended) {
        List<String> defects = ArchiveJob.defects(ended);
        defects.forEach(this::say);
        Map<String, Long> shut = ArchiveJob.shutTunnels(ended);
        if (!shut.isEmpty()) {
            say(ShutTunnels.describe(shut));
        }
        say(archive.told());
        return defects;
    }

    private void start(
            JobOptions wanted,
            @Nullable ClusterTarget target,
            @Nullable FlinkAddress remote,
            @Nullable CheckpointFolder kept)
            throws Exception {
        TopicNames names = topics.names();
        SubmittedOptions given;
        try (KafkaAccess access = creation.connect(topics, Math.max(2, parallelism()))) {
            access.requireTopics(AclOperation.READ, names.packets(), names.rules());
            access.requireTopics(AclOperation.WRITE, names.verdicts(), names.deadLetters());
            if (wanted.statistics().on()) {
                access.requireTopics(AclOperation.WRITE, names.statistics());
            }
            if (wanted.statistics().hasWindows()) {
                access.requireTopics(AclOperation.WRITE, names.statisticsWindows());
            }
            access.requireGroup(AclOperation.READ, group + "-" + names.packets());
            access.requireGroup(AclOperation.READ, group + "-" + names.rules());
            access.requireGroup(AclOperation.DESCRIBE, RuleTopicSettings.GROUP);
            access.requireTransactionalIds(transactionPrefix + "-", PatternType.PREFIXED);
            access.requireTransactionTimeout(wanted.transactionTimeout());
            String kafka = access.clusterId();
            given =
                    new SubmittedOptions(
                            GivenOptions.words(spec, OF_SUBMISSION), transactionPrefix, kafka);
            if (target != null) {
                target.requireNoOther(given);
            }
            if (kept != null) {
                kept.claim(
                        new JobIdentity(kafka, names.packets(), names.rules(), transactionPrefix));
            }
        }
        if (restore == null && (kept == null || kept.newest().isEmpty())) {
            requireNoOtherJob();
        }
        JobOptions options = wanted.withRulesEnd(TopicReader.end(topics.kafka(), names.rules()));
        launch(
                target == null
                        ? env -> SluiceJob.build(env, options)
                        : env -> target.build(env, options),
                target,
                remote,
                given,
                () -> runHere(options, kept));
    }

    /** Runs a job in this process. */
    private interface Here {
        void run() throws Exception;
    }

    /** Has a job run where it is to: with the client of Flink, on a cluster, or here. */
    private void launch(
            Consumer<StreamExecutionEnvironment> graph,
            @Nullable ClusterTarget target,
            @Nullable FlinkAddress remote,
            SubmittedOptions given,
            Here here)
            throws Exception {
        if (inFlinkClient) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            if (parallelism != null) {
                env.setParallelism(parallelism);
            }
            graph.accept(env);
            env.execute(jobName);
        } else if (target != null) {
            String job = target.submit(graph, jobName, parallelism(), given);
            submitted("the cluster in " + target.folder(), job);
            watchThere(target.watch(job));
        } else if (remote != null) {
            String job = submit(graph, remote);
            watchThere(new JobRest(remote.host(), remote.port(), job));
        } else {
            here.run();
        }
    }

    private void requireNoOtherJob() throws InterruptedException {
        try (TransactionalIdGuard other =
                new TransactionalIdGuard(topics.kafka(), transactionPrefix)) {
            if (other.mayRun()) {
                say(
                        "transactions with --transactional-id-prefix %s are open; a look whether another job begins more"
                                .formatted(transactionPrefix));
                other.requireAbsent(checkpointInterval());
            }
        }
    }

    /** Makes the job go on from a savepoint or checkpoint on a cluster of this machine. */
    final void goOn(Path savepoint) {
        if (restore != null) {
            throw new UsageException(
                    "--restore and %s both say where to go on from; leave one out"
                            .formatted(savepoint));
        }
        restore = savepoint;
        if (cluster == null) {
            cluster = Path.of(ClusterFolder.USUAL);
        }
    }

    private @Nullable ClusterTarget target() {
        if (cluster == null) {
            if (restore != null) {
                throw new UsageException("--restore goes with --cluster alone");
            }
            return null;
        }
        if (flink != null || checkpoints != null) {
            throw new UsageException(
                    "--cluster goes with neither --flink nor --checkpoints; leave those out");
        }
        return ClusterTarget.find(cluster, restore, parallelism);
    }

    private String submit(Consumer<StreamExecutionEnvironment> graph, FlinkAddress remote) {
        if (!Files.isReadable(jobJar)) {
            throw new SluiceException(
                    "job jar " + jobJar + " does not exist; build it, or name it with --job-jar");
        }
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        remote.host(), remote.port(), parallelism(), jobJar.toString());
        try {
            graph.accept(env);
            JobClient job = env.executeAsync(jobName);
            submitted(remote.toString(), job.getJobID().toHexString());
            return job.getJobID().toHexString();
        } catch (Exception e) {
            throw new SluiceException(
                    "the Flink cluster at "
                            + remote
                            + " did not take the job: "
                            + Failures.describe(e)
                            + "; check --flink",
                    e);
        }
    }

    private void runHere(JobOptions options, @Nullable CheckpointFolder kept) throws Exception {
        if (kept == null) {
            runHere(env -> SluiceJob.build(env, options), List.of(), local -> {});
            return;
        }
        try (Interruption interruption = begin();
                FullDiskFilter disks = new FullDiskFilter(List.of(kept.path())).begin()) {
            kept.newest().ifPresent(c -> say("the job goes on from checkpoint " + c));
            try (LocalFlink local = LocalFlink.resume(options, parallelism(), kept)) {
                join(local, interruption, disks);
            } catch (SluiceException e) {
                throw disks.named(e);
            }
        }
    }

    private void runHere(
            Consumer<StreamExecutionEnvironment> graph,
            List<Path> written,
            Consumer<LocalFlink> whenEnded)
            throws Exception {
        Path parent = TemporaryDirectory.parent();
        List<Path> folders = new ArrayList<>(written);
        folders.add(parent);
        try (Interruption interruption = begin();
                FullDiskFilter disks = new FullDiskFilter(folders).begin();
                TemporaryDirectory files = new TemporaryDirectory(parent)) {
            Configuration config = LocalFlink.configuration(files.path());
            if (!bounded) {
                Recovery.inProcess(config);
            }
            try (LocalFlink local = LocalFlink.start(graph, parallelism(), config)) {
                join(local, interruption, disks);
                whenEnded.accept(local);
            } catch (SluiceException e) {
                throw disks.named(e);
            }
        }
    }

    private void join(LocalFlink local, Interruption interruption, FullDiskFilter disks)
            throws InterruptedException {
        say(
                "the job runs in this process; "
                        + (archive.isGiven()
                                ? "it ends with the last capture"
                                : bounded
                                        ? "it ends at the packets that are there now"
                                        : "stop it with Ctrl-C"));
        if (!watch(local, interruption, disks)) {
            return;
        }
        Optional<Outcomes> outcomes = local.join();
        say("the job has ended: every packet that it was to read is judged");
        outcomes.ifPresentOrElse(
                counted -> {
                    if (json.isGiven()) {
                        JsonOption.print(spec.commandLine().getOut(), counted.json());
                    } else {
                        counted.print(spec.commandLine().getOut());
                    }
                },
                () ->
                        say(
                                "how many packets these were is not known: all had been read before the job was restarted; see the topics"));
    }

    /**
     * Shows where the job stands until it ends.
     *
     * @return false if it was stopped: for a job without an end that is how it ends
     * @throws SluiceException if one that has an end was stopped
     */
    private boolean watch(LocalFlink local, Interruption interruption, FullDiskFilter disks)
            throws InterruptedException {
        String last;
        try (StatusLine line = StatusLine.open(spec.commandLine().getErr())) {
            JobWatch shown = new JobWatch(local::figures, line, status.every());
            do {
                if (local.endsWithin(LOOK)) {
                    return true;
                }
                local.restart().ifPresent(line::println);
                disks.told().ifPresent(line::println);
                shown.look();
            } while (!interruption.isAsked());
            last = shown.interrupted(next());
        }
        if (bounded) {
            throw new SluiceException(last);
        }
        say(last);
        return false;
    }

    /**
     * Shows where a job of a cluster stands until it ends or this command is stopped, if that is
     * asked for.
     *
     * @throws SluiceException if the job ends otherwise than well
     */
    private void watchThere(JobRest job) throws InterruptedException {
        if (!watch) {
            return;
        }
        PrintWriter err = spec.commandLine().getErr();
        String last;
        try (Interruption interruption = begin();
                StatusLine line = StatusLine.open(err)) {
            JobWatch shown = new JobWatch(() -> figures(job), line, status.every());
            while (!interruption.isAsked()) {
                String state = job.state().orElse("");
                if (ENDED.contains(state)) {
                    if (!state.equals("FINISHED")) {
                        throw new SluiceException(
                                "the job has ended as " + state + "; the cluster's logs say why");
                    }
                    out("the job has ended");
                    return;
                }
                shown.look();
                Thread.sleep(LOOK_THERE.toMillis());
            }
            last = shown.left("the job goes on in its cluster");
        }
        say(last);
    }

    private static JobFigures figures(JobRest job) {
        try {
            return job.figures();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return JobFigures.NONE;
        }
    }

    /** From now on this command says itself where it stands when it is stopped. */
    private Interruption begin() {
        saysItself = true;
        ClosingTaskLogFilter.leaveOut();
        return new Interruption(CANCEL_SECONDS);
    }

    @Override
    public String whereItStands() {
        return saysItself ? ITSELF : "no job was started here";
    }

    /** How what an interrupted job leaves is done. */
    private String next() {
        if (archive.isGiven()) {
            return "the same command begins anew, with a new folder for --verdicts";
        }
        if (checkpoints != null && CheckpointFolder.hasComplete(checkpoints)) {
            return "the same command goes on from the newest checkpoint in " + checkpoints;
        }
        String without = checkpoints == null ? "without --checkpoints" : "without a checkpoint";
        return from.equals("committed")
                ? "the next job of --group " + group + " goes on behind what is committed"
                : without + " the next job begins at --from " + from;
    }

    private void submitted(String where, String job) {
        if (json.isGiven()) {
            JsonOption.print(
                    spec.commandLine().getOut(),
                    JsonOption.object().put("job", job).put("submitted_to", where));
        } else {
            out("submitted to " + where + " as job " + job);
        }
    }

    private void out(String text) {
        spec.commandLine().getOut().println(text);
    }

    private void say(String text) {
        spec.commandLine().getErr().println("sluice: " + text);
    }

    private int parallelism() {
        return parallelism == null ? DEFAULT_PARALLELISM : parallelism;
    }

    private PacketFormat packetFormat() {
        PacketFormat.Kind kind =
                Choice.parse("--packet-format", packetFormat, PacketFormat.Kind.class);
        ParserOptions parsing = headers.parsing();
        if (kind == PacketFormat.Kind.AVRO && !parsing.equals(ParserOptions.DEFAULTS)) {
            throw new UsageException(
                    "%s goes with --packet-format frames: the headers of avro were chosen by who sent them; export them with it"
                            .formatted(headers.changed()));
        }
        return new PacketFormat(kind, parsing);
    }

    private ClassifyOptions classify() {
        return batch.toOptions(engine, shards, verdicts.format(), verdicts.fields());
    }

    /** Refuses wrong usage before a cluster, a broker or a folder is looked at. */
    private void requireUse() {
        UsageException.requireAtLeast("--parallelism", parallelism(), 1);
        checkpointInterval();
        transactionTimeout();
        classify();
        if (!archive.isGiven()) {
            packetFormat();
        }
        verdicts.framing();
        verdicts.compression();
        statistics.toOptions();
        liveRules.waitingBytes();
        liveRules.toOptions(rulesTime.toOptions(false), bounded);
        liveRules.drift();
        status.every();
    }

    private Duration checkpointInterval() {
        return Times.atLeast(
                Duration.ofMillis(10),
                "--checkpoint-interval",
                Times.durationIn("ms", "--checkpoint-interval", checkpointInterval));
    }

    private Duration transactionTimeout() {
        return Times.atLeast(
                Duration.ofSeconds(1),
                "--transaction-timeout",
                Times.durationIn("s", "--transaction-timeout", transactionTimeout));
    }

    private JobOptions options() {
        RulesTime time = liveRules.toOptions(rulesTime.toOptions(false), bounded);
        ClassifyOptions classify = classify().with(time).withWaitingBytes(liveRules.waitingBytes());
        return new JobOptions(
                topics.kafka(),
                topics.names(),
                packetFormat(),
                classify,
                statistics.toOptions(),
                group,
                Choice.parse("--from", from, JobOptions.StartFrom.class),
                bounded,
                transactionPrefix,
                transactionTimeout(),
                checkpointInterval(),
                verdicts.framing(),
                verdicts.compression(),
                null,
                time.live() ? liveRules.drift() : null);
    }
}
