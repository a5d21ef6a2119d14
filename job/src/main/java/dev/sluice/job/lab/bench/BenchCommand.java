package dev.sluice.job.lab.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.Amount;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.BatchOptions;
import dev.sluice.job.cli.Choice;
import dev.sluice.job.cli.EngineArguments;
import dev.sluice.job.cli.GivenOptions;
import dev.sluice.job.cli.Interruptible;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.OutputPath;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.StatisticsArguments;
import dev.sluice.job.cli.Times;
import dev.sluice.job.importers.HeaderTrace;
import dev.sluice.job.importers.RuleFile;
import dev.sluice.job.lab.backend.Backend;
import dev.sluice.job.lab.backend.Classified;
import dev.sluice.job.lab.corridor.CorridorArguments;
import dev.sluice.job.lab.corridor.CorridorBench;
import dev.sluice.job.lab.corridor.CorridorReport;
import dev.sluice.job.replay.TemporaryDirectory;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice bench}: the engine alone on a header trace. */
@Command(
        name = "bench",
        description = {
            "Measures the classification engine alone on a header trace and checks its answers.",
            ""
        })
public final class BenchCommand implements Callable<Integer>, Interruptible {
    /** Of a round of look-ups, alone and beside updates. */
    private static final int ROUND_MILLIS = 500;

    private static final List<String> NOT_OF_SWEEPS =
            List.of("--rules", "--trace", "--expect", "--threads", "--updates", "--corridor");

    @Spec private CommandSpec spec;

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Headers: ClassBench trace lines, or TSV whose header line names OpenFlow fields; .gz is read directly.")
    private @Nullable Path trace;

    @Option(
            names = "--expect",
            paramLabel = "FILE",
            description =
                    "Expected answers: one 0-based rule index a line, -1 for a miss. Exit status 1 if any differs.")
    private @Nullable Path expect;

    @Mixin private EngineArguments engine = new EngineArguments();

    @Option(
            names = Backend.OPTION,
            paramLabel = "WHO",
            description =
                    "cpu: the CPU alone; gpu: a GPU, to which every batch goes; fails where none works. Without it GPUs that are there classify, else the CPU; the output says who did.")
    private @Nullable String backend;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads (default ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "4096",
            description = "Headers a batch (default ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Measured rounds, at least 5 (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--updates",
            paramLabel = "WAY",
            arity = "0..1",
            fallbackValue = "versions",
            description =
                    "Also measure single-rule updates a second: random rules go and come back; by versions, as the job has them, or in-place, in two copies of the algorithm's structure (default without WAY: versions).")
    private @Nullable String updates;

    @Option(
            names = "--update-share",
            paramLabel = "PERCENT",
            defaultValue = "0",
            description =
                    "With --updates: also look the trace up on --threads threads while rules change, so many changes for 100 headers, and say what look-ups lose where both meet (default ${DEFAULT-VALUE}: not).")
    private double updateShare;

    @Option(
            names = "--update-list",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "With --update-share: rules that go or come back together (default ${DEFAULT-VALUE}).")
    private int updateList;

    @Option(
            names = "--sweep",
            paramLabel = "DIR",
            description =
                    "Measure the papers' sweeps on generated rule sets instead, that of --algorithm beside the papers'; writes sweep.csv and sweep.html there.")
    private @Nullable Path sweep;

    @Option(
            names = "--sweep-sizes",
            paramLabel = "NAME",
            defaultValue = "small",
            description =
                    "With --sweep: small, minutes; or papers, up to 131,072 rules (default ${DEFAULT-VALUE}).")
    private String sweepSizes = "small";

    @Option(
            names = "--explain",
            description =
                    "Say why the algorithm was chosen, and what it has to tell about the rules.")
    private boolean explain;

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--corridor",
            description =
                    "Measure the whole corridor instead: Kafka, Flink, the exactly-once sink, with the trace repeated.")
    private boolean corridor;

    @Mixin private CorridorArguments corridorArguments = new CorridorArguments();

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            defaultValue = "1",
            description = "With --corridor: parallelism of the job (default ${DEFAULT-VALUE}).")
    private int parallelism;

    @Option(
            names = "--rule-changes",
            description =
                    "With --corridor: measure the job while its rules change, at 80 %% of the highest rate: from a commit to verdicts, and how long packets are held up.")
    private boolean ruleChanges;

    @Option(
            names = "--phase-seconds",
            paramLabel = "DURATION",
            defaultValue = "20s",
            converter = Times.Seconds.class,
            description =
                    "With --rule-changes: time for each kind of change (default ${DEFAULT-VALUE}; a bare number is in s).")
    private int phaseSeconds;

    @Option(
            names = "--rate",
            paramLabel = "HEADERS",
            defaultValue = "0",
            description =
                    "With --rule-changes: headers a second; 0: 80 %% of the highest rate (default ${DEFAULT-VALUE}).")
    private double rate;

    @Option(
            names = "--follow",
            paramLabel = "CHANGES",
            defaultValue = "0",
            description =
                    "Measure 'rules publish --follow' instead: so many changes of the rules as lines of JSON through Kafka, and a job's reading of them (default ${DEFAULT-VALUE}: measure the engine).")
    private long follow;

    @Mixin private StatisticsArguments statistics = new StatisticsArguments();

    @Mixin private BatchOptions batchOptions = new BatchOptions();

    /** Points of a sweep that are measured. */
    private final AtomicInteger points = new AtomicInteger();

    @Override
    public Integer call() throws Exception {
        UsageException.requireRange("--threads", threads, 1, 1024);
        UsageException.requireRange("--batch", batch, 1, 1 << 24);
        UsageException.requireRange("--rounds", rounds, 5, 1000);
        UsageException.requireRange("--parallelism", parallelism, 1, 128);
        UsageException.requireRange("--phase-seconds", phaseSeconds, 1, 3600);
        UsageException.requireAtLeast("--follow", follow, 0);
        UsageException.requireAtLeast("--update-list", updateList, 1);
        if (!(updateShare >= 0 && updateShare <= 100)) {
            throw new UsageException("--update-share " + updateShare + " is not in 0..100");
        }
        if (!(rate >= 0)) {
            throw new UsageException("--rate " + rate + " is below 0; write headers a second");
        }
        Backend wanted =
                backend == null ? null : Choice.parse(Backend.OPTION, backend, Backend.class);
        EngineOptions given = engine.toOptions();
        EngineOptions options = wanted == null ? given : wanted.in(given);
        batchOptions.toOptions(options, 64, VerdictFormat.BLOCKS, VerdictFields.NONE);
        statistics.toOptions();
        if (corridor) {
            corridorArguments.plan(parallelism, batch);
        }
        if (updates == null) {
            refuseWithout("--updates", List.of("--update-share", "--update-list"));
        }
        if (!corridor) {
            refuseWithout("--corridor", List.of("--parallelism", "--rule-changes"));
            refuseWithout("--corridor", CorridorArguments.names());
        }
        if (!ruleChanges) {
            refuseWithout("--rule-changes", List.of("--phase-seconds", "--rate"));
        }
        if (sweep == null) {
            refuseWithout("--sweep", List.of("--sweep-sizes"));
        }
        if (sweep != null) {
            if (wanted != null) {
                throw new UsageException(
                        "--sweep measures the CPU alone; leave %s out".formatted(Backend.OPTION));
            }
            GivenOptions.refuse(
                    spec,
                    NOT_OF_SWEEPS,
                    name -> "--sweep measures rule sets of its own; leave %s out".formatted(name));
            GivenOptions.refuse(
                    spec,
                    List.of("--flow-cache"),
                    name ->
                            "--sweep measures algorithms, without verdicts that are remembered; leave %s out"
                                    .formatted(name));
            OutputPath.makeFolder(
                    "--sweep",
                    sweep,
                    List.of(SweepReport.TABLE, SweepReport.PAGE),
                    ruleOptions.files());
            sweep(sweep, options);
            return 0;
        }
        if (wanted != null && (!corridor || corridorArguments.cluster(parallelism) == null)) {
            wanted.requireWorking(options); // before anything takes long
        }
        if (follow > 0) {
            return follow(options);
        }
        if (trace == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--trace is missing: name --rules FILE and --trace FILE, or what else to measure: --sweep DIR, --follow CHANGES, or a command of bench");
        }
        if (corridor && !ruleChanges) {
            List<Path> reads = new ArrayList<>(ruleOptions.files());
            reads.add(trace);
            corridorArguments.makeFolder(reads);
        }
        RuleFile file = ruleOptions.read(spec.commandLine().getErr());
        HeaderTrace headers = HeaderTrace.read(trace);
        if (corridor) {
            return ruleChanges
                    ? ruleChanges(file, headers, options)
                    : corridor(file, headers, options, wanted);
        }
        try (EngineBench bench = new EngineBench(file, options)) {
            if (wanted != null) {
                wanted.requireServed(bench.onDevice());
            }
            return measure(bench, file, headers, options, wanted);
        }
    }

    private void sweep(Path folder, EngineOptions options) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        new SweepBench(
                        folder,
                        Choice.parse("--sweep-sizes", sweepSizes, SweepBench.Sizes.class),
                        options.algorithm(),
                        options.budgetBytes(),
                        point -> {
                            points.incrementAndGet();
                            if (json.isGiven()) {
                                JsonOption.print(out, point.json());
                            } else {
                                err.println(point.line());
                            }
                        })
                .run();
        if (!json.isGiven()) {
            out.printf(
                    "%s and %s%n",
                    folder.resolve(SweepReport.TABLE), folder.resolve(SweepReport.PAGE));
        }
    }

    @Override
    public @Nullable String whereItStands() {
        Path folder = sweep;
        return folder == null || points.get() == 0 ? null : kept(points.get(), folder);
    }

    /** What is left of sweeps that were interrupted. */
    static String kept(int points, Path folder) {
        return "%s of the sweeps measured before %s kept in %s; the others are left"
                .formatted(
                        Amount.of(points, "point"),
                        points == 1 ? "is" : "are",
                        folder.resolve(SweepReport.TABLE));
    }

    /** Refuses options that would be ignored without another one. */
    private void refuseWithout(String missing, List<String> names) {
        GivenOptions.refuse(
                spec,
                names,
                name ->
                        "%s is an option of %s: add %s, or leave %s out"
                                .formatted(name, missing, missing, name));
    }

    private int measure(
            EngineBench bench,
            RuleFile file,
            HeaderTrace headers,
            EngineOptions options,
            @Nullable Backend wanted) {
        RuleSet rules = file.toRuleSet("bench", 1, RuleSet.DROP);
        Algorithm algorithm = bench.algorithm();
        UpdateBench.Way way =
                updates == null || file.rules().isEmpty()
                        ? null
                        : Choice.parse("--updates", updates, UpdateBench.Way.class);
        if (way != null) {
            UpdateBench.requirePossible(way, rules, algorithm, options);
        }
        Long wrong = expect == null ? null : bench.countWrong(headers, expect);
        EngineBench.Result result = bench.measure(headers, threads, batch, rounds);
        if (wanted != null) {
            wanted.requireIn(result.classified());
        }
        UpdateBench.Result changed =
                way == null ? null : UpdateBench.measure(way, rules, algorithm, options);
        UpdatesBeside.Result beside =
                way == null || updateShare == 0
                        ? null
                        : beside(way, rules, headers, algorithm, options);
        EngineReport report =
                new EngineReport(
                        ruleOptions.file(),
                        file.rules().size(),
                        bench,
                        threads,
                        batch,
                        headers.size(),
                        rounds,
                        options.flowCacheEntries(),
                        result,
                        changed,
                        beside,
                        wrong);
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(out, report.json());
        } else {
            report.print(out, explain);
        }
        boolean right = (wrong == null || wrong == 0) && (beside == null || beside.wrong() == 0);
        return right ? 0 : 1;
    }

    private UpdatesBeside.Result beside(
            UpdateBench.Way way,
            RuleSet unranked,
            HeaderTrace headers,
            Algorithm algorithm,
            EngineOptions options) {
        RuleSet rules = UpdatesBeside.ranked(unranked);
        try (ChangingRules changing = ChangingRules.open(way, rules, algorithm, options)) {
            return new UpdatesBeside(
                            rules, changing, headers, batch, threads, updateShare / 100, updateList)
                    .measure(rounds, ROUND_MILLIS);
        }
    }

    private int follow(EngineOptions options) throws Exception {
        PrintWriter err = spec.commandLine().getErr();
        RuleFile file = ruleOptions.read(err);
        FollowBench.Result result =
                new FollowBench(file, options).run(follow, TemporaryDirectory.parent(), err);
        FollowReport report = new FollowReport(ruleOptions.file(), file.rules().size(), result);
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(out, report.json());
        } else {
            report.print(out);
        }
        return 0;
    }

    private int ruleChanges(RuleFile file, HeaderTrace headers, EngineOptions options)
            throws Exception {
        RuleChangeBench bench =
                new RuleChangeBench(
                        file,
                        headers,
                        batchOptions.toOptions(
                                options, 64, VerdictFormat.BLOCKS, VerdictFields.NONE),
                        parallelism,
                        batch,
                        phaseSeconds,
                        rate);
        RuleChangeReport report =
                new RuleChangeReport(
                        benched(file),
                        bench.run(TemporaryDirectory.parent(), spec.commandLine().getErr()));
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(out, report.json());
        } else {
            report.print(out);
        }
        return 0;
    }

    private int corridor(
            RuleFile file, HeaderTrace headers, EngineOptions options, @Nullable Backend wanted)
            throws Exception {
        StatisticsOptions counted = statistics.toOptions();
        CorridorBench.Plan plan = corridorArguments.plan(parallelism, batch);
        VerdictFields fields = VerdictFields.NONE.with(plan.columns());
        CorridorReport report =
                new CorridorBench(
                                file,
                                headers,
                                Objects.requireNonNull(trace),
                                batchOptions.toOptions(options, 64, VerdictFormat.BLOCKS, fields),
                                counted,
                                plan,
                                corridorArguments.cluster(parallelism),
                                spec.commandLine().getErr())
                        .run(TemporaryDirectory.parent());
        Classified classified = report.classified();
        if (wanted != null && classified != null) {
            wanted.requireIn(classified);
        }
        double countNanos = counted.on() ? CountingBench.measure(file, headers, options, batch) : 0;
        ObjectNode found = report.json(benched(file).json());
        found.put("countNanosPerHeader", countNanos);
        String title = benched(file).title("through the corridor");
        corridorArguments.write(report, title, found);
        PrintWriter out = spec.commandLine().getOut();
        if (json.isGiven()) {
            JsonOption.print(out, found);
        } else {
            out.println(title);
            report.print(out);
            if (counted.on()) {
                out.printf(
                        "  counting hits takes %.1f ns of CPU a header of it, warm%n", countNanos);
            }
        }
        return 0;
    }

    private BenchedJob benched(RuleFile file) {
        return new BenchedJob(ruleOptions.file(), file.rules().size(), parallelism, batch);
    }
}
