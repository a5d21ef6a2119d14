package dev.sluice.lab.advise;

import dev.sluice.engine.EngineOptions;
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
import dev.sluice.lab.kit.Results;
import dev.sluice.policy.RuleFile;
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
        RuleFile file = ruleOptions.read(err());
        RuleSet rules = file.toRuleSet(ruleOptions.file().toString(), 1, RuleSet.DROP);
        if (!captures.isEmpty()) {
            headers.warn(rules.rules(), err());
        }
        Traffic traffic =
                captures.isEmpty()
                        ? Traffic.of(rules, packets)
                        : Traffic.of(captures, headers.parsing(), packets);
        Advice advice =
                new AdviceMeter(file, traffic, options, seconds)
                        .measure(ruleOptions.file(), GivenOptions.words(spec(), own()), err());
        Results.print(out(), json, advice.record());
        return 0;
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
}
