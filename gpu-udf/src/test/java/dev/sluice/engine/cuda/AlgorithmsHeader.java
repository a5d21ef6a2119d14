package dev.sluice.engine.cuda;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Kernel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The text of {@code algorithms.cuh}: the look-ups of algorithms in CUDA, as lists that the switch
 * over an image's algorithm and the kernels are made of.
 */
public final class AlgorithmsHeader {
    private AlgorithmsHeader() {}

    /** The algorithms that are packed with the engine: not those that tests add. */
    public static List<Algorithm> packed() {
        var engine = Algorithm.class.getProtectionDomain().getCodeSource();
        return Algorithm.all().stream()
                .filter(a -> engine.equals(a.getClass().getProtectionDomain().getCodeSource()))
                .toList();
    }

    /** The header of some algorithms; each look-up once, those of the lowest codes first. */
    public static String text(List<Algorithm> algorithms) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        Map<String, String> lookUps = new LinkedHashMap<>();
        for (Algorithm algorithm :
                algorithms.stream().sorted(Comparator.comparing(Algorithm::code)).toList()) {
            for (Kernel kernel : algorithm.kernels()) {
                if (!kernel.lookUp().isEmpty()) {
                    String name = kernel.name().substring(Kernel.PLAIN.length());
                    lookUps.put(name, kernel.lookUp());
                    rows.computeIfAbsent(name, n -> new ArrayList<>())
                            .add("case " + algorithm.code() + ":");
                }
            }
        }
        StringBuilder out = new StringBuilder();
        out.append(
                """
                // Generated from the registry of algorithms: change what an algorithm says of its kernels, then
                // run src/main/cuda/headers. A test compares this text with the registry.
                #pragma once

                """);
        for (String lookUp : new TreeSet<>(lookUps.values())) {
            out.append("#include \"").append(lookUp).append(".cuh\"\n");
        }
        out.append(
                """

                // Name of a kernel behind its family, its look-up, and the codes of the algorithms whose images
                // it reads.
                #define SLUICE_LOOK_UPS(X)""");
        rows.forEach(
                (name, cases) ->
                        out.append(
                                " \\\n    X(%s, %s, %s)"
                                        .formatted(
                                                name, lookUps.get(name), String.join(" ", cases))));
        return out.append('\n').toString();
    }
}
