package dev.sluice.lab.advise;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.replay.Progress;
import dev.sluice.lab.bench.EngineBench;
import dev.sluice.policy.RuleFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Measurement of a policy on this machine.
 *
 * @param traffic whose headers are looked up
 * @param seconds that look-ups take in all
 */
record AdviceMeter(RuleFile file, Traffic traffic, EngineOptions options, Duration seconds) {
    private static final int BATCH = 4096;
    private static final int ROUNDS = 5;

    /** Batches that a subtask has with the engine at a time, as run has it by default. */
    private static final int UNDER_WAY = 4;

    /** Of the time of a measurement that goes to what the JIT compiler needs. */
    private static final double WARM_UP = 0.4;

    /**
     * Measures.
     *
     * @param name of the rule file, as it was given
     * @param words options of the engine, as they were given
     */
    Advice measure(Path name, List<String> words, PrintWriter err) {
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
                                ? device(number, cores, pace)
                                : DeviceAdvice.absent(number, "", why);
                progress.at(steps, steps, true);
                return new Advice(
                        name,
                        file.rules().size(),
                        traffic,
                        cpu.engine().current().explanation(),
                        core,
                        all,
                        cores,
                        device,
                        words);
            }
        }
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

    private DeviceAdvice device(int number, int cores, EngineBench.Pace pace) {
        try (GpuPool.Use use = GpuPool.shared().use(only(number), 0);
                EngineBench bench = EngineBench.asInAJob(file, options.withGpu(only(number)))) {
            String name = use == null ? "" : use.device().context().info().name();
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
                                    batch(bench),
                                    pace.withUnderWay(UNDER_WAY))
                            : null;
            String algorithm =
                    bench.engine().current().deviceAlgorithm().map(Algorithm::label).orElse("");
            return new DeviceAdvice(
                    number, name, "", algorithm, bench.engine().crossover().orElseThrow(), result);
        }
    }

    /** Large enough for the device, as far as there are headers. */
    private int batch(EngineBench bench) {
        int smallest = bench.engine().crossover().orElseThrow().smallest();
        return Math.max(BATCH, Math.min(smallest, traffic.trace().size()));
    }
}
