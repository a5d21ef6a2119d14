package dev.sluice.engine;

import dev.sluice.engine.lookup.Algorithm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.openjdk.jmh.Main;

/** Runs JMH; where no algorithm is named, on all of the registry. */
public final class Benchmarks {
    private Benchmarks() {}

    /** Takes JMH's own options. */
    public static void main(String... arguments) throws Exception {
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
