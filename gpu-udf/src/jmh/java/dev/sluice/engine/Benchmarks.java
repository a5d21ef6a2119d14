package dev.sluice.engine;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.versions.AcceleratorWorth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.openjdk.jmh.Main;

/**
 * Runs JMH; where no algorithm is named, on all of the registry. With {@code accelerators} first,
 * prints the worth of each accelerator of changed rules.
 */
public final class Benchmarks {
    private Benchmarks() {}

    /** Takes JMH's own options, or {@code accelerators} and files of {@link AcceleratorWorth}. */
    public static void main(String... arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("accelerators")) {
            AcceleratorWorth.main(Arrays.copyOfRange(arguments, 1, arguments.length));
            return;
        }
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        if (all.stream().noneMatch(argument -> argument.startsWith("algorithm="))) {
            String labels =
                    Algorithm.all().stream()
                            .map(Algorithm::label)
                            .collect(Collectors.joining(","));
            all.addAll(List.of("-p", "algorithm=" + labels));
        }
        Main.main(all.toArray(String[]::new));
    }
}
