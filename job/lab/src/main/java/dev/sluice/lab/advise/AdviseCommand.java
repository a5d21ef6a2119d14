package dev.sluice.lab.advise;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.UsageException;
import dev.sluice.job.cli.CommandContribution;
import dev.sluice.job.cli.EngineArguments;
import dev.sluice.job.cli.GivenOptions;
import dev.sluice.job.cli.HeaderOptions;
import dev.sluice.job.cli.JsonOption;
import dev.sluice.job.cli.Range;
import dev.sluice.job.cli.RuleOptions;
import dev.sluice.job.cli.SluiceCommand;
import dev.sluice.job.cli.Times;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.lab.kit.Results;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice advise}: what a policy asks of this machine, and whether a GPU pays. */
@Command(
        name = "advise",
        description = {
            "Measures your policy on this machine's cores and GPU and says what a job would carry, whether a GPU pays, and what to set. "
                    + "Look-ups are measured on the headers of your captures; without one, on headers made from the rules.",
            "What Kafka and Flink cost beside look-ups is not measured: it is taken from docs/benchmarks/corridor.md, and the output says so.",
            ""
        })
public final class AdviseCommand extends SluiceCommand implements CommandContribution {
    private static final int BATCH = 4096;
    private static final int ROUNDS = 5;

    /** Batches that a subtask has with the engine at a time, as run has it by default. */
    private static final int UNDER_WAY = 4;

    /** Of the time of a measurement that goes to what the JIT compiler needs. */
    private static final double WARM_UP = 0.4;

    @Parameters(
            arity = "0..*",
            paramLabel = "CAPTURE",
            description =
                    "pcap or pcapng files, plain or compressed by gzip, zstd or lz4, of the traffic that the policy is for.")
    private List<Path> captures = List.of();

    @Mixin private RuleOptions ruleOptions = new RuleOptions();

    @Mixin private HeaderOptions headers = new HeaderOptions();

    @Option(
            names = "--packets",
            paramLabel = "N",
            defaultValue = "200000",
            description = "Headers that are looked up again and again (default ${DEFAULT-VALUE}).")
    @Range(from = 1, to = 10_000_000)
    private int packets;

    @Option(
            names = "--seconds",
            paramLabel = "DURATION",
            defaultValue = "12s",
            converter = Times.InSeconds.class,
            description =
                    "How long look-ups are measured in all; reading captures and compiling the rules come on top (default ${DEFAULT-VALUE}; a bare number is in s).")
    @Range(shortest = "1s", longest = "1h")
    private Duration seconds = Duration.ZERO;

    @Mixin private JsonOption json = new JsonOption();

    @Mixin private EngineArguments engine = new EngineArguments();

    @Override
    public Integer call() {
        EngineOptions options = engine.toOptions();
        if (!options.offload().leavesSomething()) {
            throw new UsageException(
                    "--hand-over says all of how batches go to a device, so that nothing is left to measure; leave from= out of it");
        }
        PrintWriter err = err();
        RuleFile file = ruleOptions.read(err);
        RuleSet rules = file.toRuleSet(ruleOptions.file().toString(), 1, RuleSet.DROP);
        if (!captures.isEmpty()) {
            headers.warn(rules.rules(), err);
        }
        Traffic traffic =
                captures.isEmpty()
                        ? Traffic.of(rules, packets)
                        : Traffic.of(captures, headers.parsing(), packets);
        Advice advice = measure(file, traffic, options, err);
        Results.print(out(), json, advice.record());
        return 0;
    }

    private Advice measure(RuleFile file, Traffic traffic, EngineOptions options, PrintWriter err) {
        int cores = Runtime.getRuntime().availableProcessors();
        int number = options.gpu().ids().isEmpty() ? 0 : options.gpu().ids().get(0);
        String why = absence(options.gpu(), number);
        EngineBench.Pace pace = pace(why.isEmpty() ? 3 : 2);
        try (Progress progress = new Progress(err, "measuring", "steps")) {
            long steps = why.isEmpty() ? 3 : 2;
            progress.at(0, steps, true);
            try (EngineBench cpu =
                    EngineBench.asInAJob(file, options.withGpu(GpuPool.Selection.OFF))) {
                EngineBench.Result core = cpu.measure(traffic.trace(), 1, BATCH, pace);
                progress.at(1, steps, true);
                EngineBench.Result all = cpu.measure(traffic.trace(), cores, BATCH, pace);
                progress.at(2, steps, true);
                DeviceAdvice device =
                        why.isEmpty()
                                ? device(file, traffic, options, number, cores, pace)
                                : DeviceAdvice.absent(number, "", why);
                progress.at(steps, steps, true);
                return new Advice(
                        ruleOptions.file(),
                        file.rules().size(),
                        traffic,
                        cpu.engine().current().explanation(),
                        core,
                        all,
                        cores,
                        device,
                        GivenOptions.words(spec(), own()));
            }
        }
    }

    /** Options that are not the engine's, and the device, which the advice names. */
    private List<String> own() {
        List<String> own = new ArrayList<>();
        spec().options().forEach(option -> own.add(option.longestName()));
        Objects.requireNonNull(spec().mixins().get("engine"))
                .options()
                .forEach(o -> own.remove(o.longestName()));
        own.add("--gpu");
        return own;
    }

    private EngineBench.Pace pace(int measurements) {
        double nanos = (double) seconds.toNanos() / measurements;
        return new EngineBench.Pace(
                (long) (WARM_UP * nanos), ROUNDS, (long) ((1 - WARM_UP) * nanos / ROUNDS), 1);
    }

    /** Why a device cannot be used; empty if it can. */
    private static String absence(GpuPool.Selection wanted, int number) {
        if (wanted.off()) {
            return "--gpu off leaves it out";
        }
        try (GpuPool.Use use = GpuPool.shared().use(only(number), 0)) {
            return use == null ? "it is not there" : "";
        } catch (GpuException e) {
            // What the pool adds of its own is an option that this command was not given.
            Throwable reason = e.getCause() == null ? e : e.getCause();
            return String.valueOf(reason.getMessage());
        }
    }

    private static GpuPool.Selection only(int number) {
        return new GpuPool.Selection(false, List.of(number));
    }

    private static DeviceAdvice device(
            RuleFile file,
            Traffic traffic,
            EngineOptions options,
            int number,
            int cores,
            EngineBench.Pace pace) {
        try (GpuPool.Use use = GpuPool.shared().use(only(number), 0);
                EngineBench bench = EngineBench.asInAJob(file, options.withGpu(only(number)))) {
            String name = use == null ? "" : use.device().info().name();
            if (bench.engine().crossover().isEmpty()) {
                return DeviceAdvice.absent(
                        number,
                        name,
                        name
                                + " does not serve these rules: no kernel reads them, or they do not fit its memory (the log says which)");
            }
            EngineBench.Result result =
                    bench.engine().current().onDevice()
                            ? bench.measure(
                                    traffic.trace(),
                                    cores,
                                    batch(bench, traffic),
                                    pace.withUnderWay(UNDER_WAY))
                            : null;
            String algorithm =
                    bench.engine().current().deviceAlgorithm().map(Algorithm::label).orElse("");
            return new DeviceAdvice(
                    number, name, "", algorithm, bench.engine().crossover().orElseThrow(), result);
        }
    }

    /** Large enough for the device, as far as there are headers. */
    private static int batch(EngineBench bench, Traffic traffic) {
        int smallest = bench.engine().crossover().orElseThrow().smallest();
        return Math.max(BATCH, Math.min(smallest, traffic.trace().size()));
    }
}
