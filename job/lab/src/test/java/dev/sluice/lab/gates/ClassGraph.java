package dev.sluice.lab.gates;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.spi.ToolProvider;

/**
 * Classes of one package each, nested ones too, and which of them use which. An anonymous or local
 * class counts as a part of the class around it.
 */
final class ClassGraph {
    private final Map<String, Set<String>> uses = new TreeMap<>();

    /**
     * Graph of classes as the build made them, in folders or jars; jdeps tells which uses which.
     */
    static ClassGraph of(List<Path> classes) {
        StringWriter told = new StringWriter();
        List<String> words = new ArrayList<>(List.of("-verbose:class", "-filter:none"));
        classes.forEach(place -> words.add(place.toString()));
        PrintWriter out = new PrintWriter(told);
        int status =
                ToolProvider.findFirst("jdeps")
                        .orElseThrow()
                        .run(out, out, words.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("jdeps ends with status " + status + ": " + told);
        }
        ClassGraph graph = new ClassGraph();
        told.toString()
                .lines()
                .map(line -> line.strip().split(" +"))
                .filter(cells -> cells.length > 2 && cells[1].equals("->"))
                .filter(cells -> cells[0].startsWith("dev.sluice."))
                .filter(cells -> cells[2].startsWith("dev.sluice."))
                .forEach(cells -> graph.add(cells[0], cells[2]));
        return graph;
    }

    /** Adds the use of a class by another. */
    void add(String user, String used) {
        String from = named(user);
        String to = named(used);
        if (packageOf(from).equals(packageOf(to)) && !from.equals(to)) {
            uses.computeIfAbsent(from, name -> new TreeSet<>()).add(to);
        }
    }

    private static String named(String type) {
        return type.replaceAll("\\$\\d.*", "");
    }

    private static String packageOf(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }

    private static String file(String type) {
        return type.replaceAll("\\$.*", "");
    }

    /**
     * Circles, each as "package: Class Class", with the names of top-level classes. A type and the
     * types inside it use each other as they like: only where other classes take part is that a
     * circle. Types side by side in one class form a circle as any others do.
     */
    List<String> circles() {
        Set<String> circles = new TreeSet<>();
        for (Set<String> circle : components(uses)) {
            List<String> files = circle.stream().map(ClassGraph::file).distinct().toList();
            if (files.size() > 1) {
                circles.add(text(files));
            } else {
                components(withoutNesting(circle)).forEach(c -> circles.add(text(c)));
            }
        }
        return List.copyOf(circles);
    }

    private static String text(Iterable<String> types) {
        StringBuilder text = new StringBuilder();
        for (String type : types) {
            String home = packageOf(type);
            text.append(text.isEmpty() ? home.replaceFirst("^dev\\.sluice\\.", "") + ":" : "");
            text.append(' ').append(type.substring(home.length() + 1).replace('$', '.'));
        }
        return text.toString();
    }

    private Map<String, Set<String>> withoutNesting(Set<String> types) {
        Map<String, Set<String>> kept = new HashMap<>();
        for (String type : types) {
            kept.put(type, new TreeSet<>(uses.getOrDefault(type, Set.of())));
            kept.get(type)
                    .removeIf(used -> used.startsWith(type + "$") || type.startsWith(used + "$"));
        }
        return kept;
    }

    /** Strongly connected components of more than one class. */
    private static Set<Set<String>> components(Map<String, Set<String>> uses) {
        Map<String, Set<String>> reached = new HashMap<>();
        uses.keySet().forEach(type -> reached.put(type, reach(type, uses)));
        Map<String, Set<String>> components = new TreeMap<>();
        for (String type : uses.keySet()) {
            Set<String> circle = new TreeSet<>(reached.get(type));
            circle.removeIf(other -> !reached.getOrDefault(other, Set.of()).contains(type));
            if (circle.size() > 1) {
                components.put(circle.iterator().next(), circle);
            }
        }
        return Set.copyOf(components.values());
    }

    private static Set<String> reach(String from, Map<String, Set<String>> uses) {
        Set<String> reached = new TreeSet<>();
        Deque<String> next = new ArrayDeque<>(Set.of(from));
        while (!next.isEmpty()) {
            for (String used : uses.getOrDefault(next.pop(), Set.of())) {
                if (reached.add(used)) {
                    next.push(used);
                }
            }
        }
        return reached;
    }
}
