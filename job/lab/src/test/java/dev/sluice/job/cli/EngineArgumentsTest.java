package dev.sluice.job.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.exact.ExactFirstAlgorithm;
import dev.sluice.engine.hashtree.HashTreeAlgorithm;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.AlgorithmOption;
import dev.sluice.engine.rfc.RfcForm;
import dev.sluice.engine.tuple.TupleAlgorithm;
import dev.sluice.job.Sluice;
import dev.sluice.job.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Commands that open an engine take the same options, and those that algorithms declare. */
class EngineArgumentsTest {
    @Command
    private static final class Opens {
        @Mixin private EngineArguments engine = new EngineArguments();
    }

    private static EngineOptions parse(String... arguments) {
        Opens command = new Opens();
        CommandLine line = new CommandLine(command);
        OptionTypes.register(line);
        line.parseArgs(arguments);
        return command.engine.toOptions();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "replay", "demo", "bench engine"})
    void helpNamesEveryAlgorithmAndItsOptions(String command) {
        String help = Sluice.run((Object[]) (command + " --help").split(" ")).out();
        String words = help.replaceAll("\\s+", " ");
        assertTrue(words.contains("One of " + String.join(", ", Algorithm.labels())), help);
        for (Algorithm algorithm : Algorithm.all()) {
            for (AlgorithmOption<?> option : algorithm.options()) {
                assertTrue(help.contains("--" + option.name()), help);
            }
        }
        for (String option :
                new String[] {
                    "--gpu", "--hand-over", "--memory-budget", "--flow-cache", "--update-rate"
                }) {
            assertTrue(help.contains(option + "="), option);
        }
        assertFalse(help.contains("--profile"), help);
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        assertEquals(EngineOptions.DEFAULTS, parse());
    }

    @Test
    void optionsAreReadIntoTheirTypes() {
        EngineOptions options =
                parse(
                        "--algorithm=auto",
                        "--inner-algorithm=bloom",
                        "--exact-first-semantics",
                        "--expand-ranges",
                        "--hash-tree-threshold=7",
                        "--rfc-form=paper",
                        "--memory-budget=3m",
                        "--flow-cache=4096",
                        "--update-rate=1.5",
                        "--gpu=1,2",
                        "--hand-over=persistent,mapped,from=64");
        assertEquals("auto", options.algorithm().label());
        assertEquals("bloom", options.tuning().get(ExactFirstAlgorithm.INNER).label());
        assertTrue(options.tuning().get(ExactFirstAlgorithm.EXACT_WINS));
        assertTrue(options.tuning().get(TupleAlgorithm.EXPAND_RANGES));
        assertEquals(7, options.tuning().get(HashTreeAlgorithm.THRESHOLD));
        assertEquals(RfcForm.PAPER, options.tuning().get(RfcForm.OPTION));
        assertEquals(3 << 20, options.budgetBytes());
        assertEquals(4096, options.flowCacheEntries());
        assertEquals(1.5, options.compile().updatesPerSecond());
        assertEquals(List.of(1, 2), options.gpu().ids());
        assertEquals(64, options.offload().from());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tuple|--hash-tree-threshold=7|--hash-tree-threshold is an option of hash-tree, but --algorithm is tuple; leave it out, or choose hash-tree",
                "linear|--exact-first-semantics|--exact-first-semantics is an option of exact-first, but --algorithm is linear",
            })
    void anotherAlgorithmsOptionIsRefused(String algorithm, String option, String line) {
        Sluice run =
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        "none",
                        "--trace",
                        "none",
                        "--algorithm",
                        algorithm,
                        option);
        assertEquals(2, run.status(), run.err());
        assertTrue(run.err().startsWith("sluice: " + line), run.err());
    }

    @Test
    void anAlgorithmWithinAnotherOneMayHaveItsOptions() {
        EngineOptions options =
                parse(
                        "--algorithm=exact-first",
                        "--inner-algorithm=hash-tree",
                        "--hash-tree-threshold=3");
        assertEquals(3, options.tuning().get(HashTreeAlgorithm.THRESHOLD));
        assertThrows(
                UsageException.class,
                () ->
                        parse(
                                "--algorithm=exact-first",
                                "--inner-algorithm=linear",
                                "--hash-tree-threshold=3"));
        for (Algorithm algorithm : Algorithm.all()) {
            for (AlgorithmOption<?> option : algorithm.options()) {
                String value = option.placeholder().isEmpty() ? "" : "=" + option.defaultText();
                parse("--algorithm=" + algorithm, "--" + option.name() + value);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rfc-form|foo|--rfc-form: foo is unknown; use one of paper, exact, compressed, tuned",
                "--hash-tree-threshold|0|--hash-tree-threshold: 0 is no number from 1 to 2147483647",
                "--inner-algorithm|magic|--inner-algorithm: no algorithm 'magic'; there are auto, linear",
                "--algorithm|magic|--algorithm: no algorithm 'magic'; there are auto, linear",
                "--flow-cache|-1|--flow-cache -1 is not in 0..67108864",
                "--update-rate|-1|--update-rate -1.0 is below 0",
                "--memory-budget|0|--memory-budget 0 is no size",
                "--memory-budget|''|--memory-budget  is no size",
            })
    void aWrongValueIsOneLineWithARemedy(String option, String value, String line) {
        Sluice run =
                Sluice.run(
                        "bench",
                        "engine",
                        "--rules",
                        "none",
                        "--trace",
                        "none",
                        option + "=" + value);
        assertEquals(2, run.status(), run.err());
        assertEquals(2, run.err().lines().count(), run.err());
        assertTrue(run.err().startsWith("sluice: " + line), run.err());
    }
}
