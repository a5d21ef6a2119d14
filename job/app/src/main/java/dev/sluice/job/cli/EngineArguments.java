package dev.sluice.job.cli;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmChoice;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.lookup.AlgorithmOptions;
import dev.sluice.engine.lookup.FlowCache;
import dev.sluice.job.UsageException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Options of every command that opens an engine, including those that the registered algorithms
 * declare.
 */
public final class EngineArguments {
    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "auto",
            completionCandidates = Labels.class,
            description = "One of ${COMPLETION-CANDIDATES} (default ${DEFAULT-VALUE}).")
    private AlgorithmChoice algorithm = AlgorithmChoice.AUTO;

    @Option(
            names = "--gpu",
            paramLabel = "DEVICES",
            defaultValue = "auto",
            description =
                    "auto: each GPU, for batches where it was measured to be faster; off: the CPU alone; 0,1: these devices (default ${DEFAULT-VALUE}).")
    private GpuPool.Selection gpu = GpuPool.Selection.AUTO;

    @Option(
            names = "--hand-over",
            paramLabel = "HOW",
            defaultValue = "auto",
            description =
                    "How batches go to a GPU: auto measures; else some of on-demand, asynchronous, persistent; copy, mapped; streams=N; gather=N (1, 2, 4 or 8 batches a launch); from=N (fewest headers), as in persistent,mapped (default ${DEFAULT-VALUE}).")
    private OffloadPreference offload = OffloadPreference.AUTO;

    @Option(
            names = "--memory-budget",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = Sizes.class,
            description =
                    "Largest compiled rule set, without the rules kept beside it, with k, m or g behind the number; at most a quarter of the heap (default ${DEFAULT-VALUE}).")
    private long memoryBudget = 1L << 30;

    @Option(
            names = "--flow-cache",
            paramLabel = "N",
            converter = CacheEntries.class,
            defaultValue = "auto",
            description =
                    "Verdicts that each thread remembers by header in front of the CPU's look-up; 0 or off: none; auto: where that saves time, tried with a batch now and then (default ${DEFAULT-VALUE}).")
    private int flowCache = EngineOptions.FLOW_CACHE_AUTO;

    @Option(
            names = "--update-rate",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "auto: expected rule changes a second; from 1000 on it chooses an algorithm that compiles quickly (default ${DEFAULT-VALUE}).")
    @Range
    private double updateRate;

    /** The algorithms' own options, as the command has them. */
    private final Map<AlgorithmOption<?>, OptionSpec> own = new LinkedHashMap<>();

    /** Converter of entries of the flow cache: a number, auto or off. */
    static final class CacheEntries implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.equals("auto")) {
                return EngineOptions.FLOW_CACHE_AUTO;
            }
            if (text.equals("off")) {
                return 0;
            }
            int entries = Counts.integer(text);
            if (entries < 0 || entries > FlowCache.MOST_ENTRIES) {
                throw new TypeConversionException(
                        "%s is not in 0..%d; write auto, or off for none"
                                .formatted(text, FlowCache.MOST_ENTRIES));
            }
            return entries;
        }
    }

    /** The labels of {@link AlgorithmChoice}, for the help text. */
    static final class Labels implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Algorithm.labels().iterator();
        }
    }

    /** Adds the algorithms' own options to the command that these are part of. */
    @Spec(Spec.Target.MIXEE)
    void mixInto(CommandSpec command) {
        Algorithm.all().stream()
                .flatMap(algorithm -> algorithm.options().stream())
                .distinct() // algorithms may share one
                .forEach(option -> own.put(option, toPicocli(option)));
        own.values().forEach(command::addOption);
    }

    /** The algorithms' own options that were given, as they were written. */
    private Map<AlgorithmOption<?>, String> given() {
        Map<AlgorithmOption<?>, String> given = new LinkedHashMap<>();
        own.forEach(
                (option, spec) -> {
                    Object value = spec.getValue();
                    if (value != null && !value.equals(false)) {
                        given.put(option, value.toString());
                    }
                });
        return given;
    }

    private static OptionSpec toPicocli(AlgorithmOption<?> option) {
        boolean flag = option.placeholder().isEmpty();
        OptionSpec.Builder builder =
                OptionSpec.builder("--" + option.name())
                        .arity(flag ? "0" : "1")
                        .type(flag ? boolean.class : String.class)
                        .description(
                                flag
                                        ? option.description() + "."
                                        : option.description()
                                                + " (default "
                                                + option.defaultText()
                                                + ").");
        return flag
                ? builder.build()
                : builder.paramLabel(option.placeholder())
                        .converters(
                                OptionTypes.refusing(
                                        text -> {
                                            option.parse(text);
                                            return text;
                                        }))
                        .build();
    }

    /**
     * The options.
     *
     * @throws UsageException naming an option of an algorithm that is not chosen
     */
    public EngineOptions toOptions() {
        AlgorithmOptions tuning = AlgorithmOptions.DEFAULTS;
        for (Map.Entry<AlgorithmOption<?>, String> given : given().entrySet()) {
            tuning = tuning.withParsed(given.getKey(), given.getValue());
        }
        requireOwn(algorithm, tuning);
        return EngineOptions.DEFAULTS
                .withAlgorithm(algorithm)
                .withBudget(memoryBudget)
                .withUpdateRate(updateRate)
                .withTuning(tuning)
                .withGpu(gpu)
                .withOffload(offload)
                .withFlowCache(flowCache);
    }

    /** Refuses options of algorithms that are not chosen; auto may choose any. */
    private void requireOwn(AlgorithmChoice choice, AlgorithmOptions tuning) {
        for (AlgorithmOption<?> option : given().keySet()) {
            if (!mayUse(choice, option, tuning)) {
                String owners =
                        Algorithm.all().stream()
                                .filter(algorithm -> algorithm.options().contains(option))
                                .map(Algorithm::label)
                                .collect(Collectors.joining(" or "));
                throw new UsageException(
                        "--%s is an option of %s, but --algorithm is %s; leave it out, or choose %s"
                                .formatted(option.name(), owners, choice.label(), owners));
            }
        }
    }

    /** Tells whether an option belongs to an algorithm, or to one that it delegates rules to. */
    private static boolean mayUse(
            AlgorithmChoice choice, AlgorithmOption<?> option, AlgorithmOptions tuning) {
        List<AlgorithmOption<?>> options =
                Algorithm.of(choice).map(Algorithm::options).orElse(List.of(option));
        if (options.contains(option)) {
            return true;
        }
        for (AlgorithmOption<?> each : options) {
            if (tuning.get(each) instanceof AlgorithmChoice inner
                    && !inner.equals(choice)
                    && mayUse(inner, option, tuning)) {
                return true;
            }
        }
        return false;
    }
}
