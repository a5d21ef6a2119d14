package dev.sluice.policy.junos;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Statements that a configuration inherits from {@code groups}. A group gives what is not there; a
 * list that has entries, and a term or policy, are refused where a group would add to them, since
 * their order or meaning is then that of the device.
 */
final class Groups {
    /** Parts of a configuration that bear on packets. */
    private static final List<String> PARTS =
            List.of("firewall", "policy-options", "security", "applications", "interfaces");

    /** Statements whose children stand in an order. */
    private static final Set<String> ORDERED =
            Set.of("term", "policy", "input-list", "output-list");

    /** Statements with one value: that of the configuration stands. */
    private static final Set<String> SINGLE = Set.of("input", "output", "default-policy");

    private static final int MOST_DEEP = 40;
    private static final String REMEDY =
            "; dump by show configuration | display inheritance no-comments";

    private final Config config;

    private Groups(Config config) {
        this.config = config;
    }

    /** Adds what the configuration inherits. */
    static void inherit(Config config) {
        Groups groups = new Groups(config);
        groups.apply(config.root(), new ArrayList<>());
    }

    /** Applies the groups that a statement and those within it name. */
    private void apply(Statement at, List<String> path) {
        for (Statement name : at.children("apply-groups")) {
            Statement group = config.root().at("groups", name.word);
            if (group == null && name.word.contains("${node}")) {
                ofNodes(name);
            } else if (group == null) {
                if (path.isEmpty() || PARTS.contains(path.get(0))) {
                    config.skipped(
                            name.refused("is a group that the file lacks; add groups" + REMEDY));
                }
            } else {
                Statement within = group;
                for (String word : path) {
                    within = within == null ? null : child(within, word);
                }
                if (within != null) {
                    inherit(at, within, path, name);
                }
            }
        }
        if (path.size() < MOST_DEEP) {
            for (Statement child : at.children()) {
                if (!path.isEmpty() || PARTS.contains(child.word)) {
                    path.add(child.word);
                    apply(child, path);
                    path.remove(path.size() - 1);
                }
            }
        }
    }

    private static @Nullable Statement child(Statement group, String word) {
        Statement exact = group.child(word);
        if (exact != null) {
            return exact;
        }
        return group.children().stream()
                .filter(one -> PrefixLists.fits(one.word, word))
                .findFirst()
                .orElse(null);
    }

    /** Of a cluster's nodes each has a group of its own; most name the device alone. */
    private void ofNodes(Statement name) {
        for (Statement group : config.root().children("groups")) {
            boolean filters =
                    PARTS.stream().anyMatch(part -> !part.equals("interfaces") && group.has(part));
            if (group.word.startsWith("node") && filters) {
                config.skipped(name.refused("depends on the node" + REMEDY));
                return;
            }
        }
    }

    private void inherit(Statement into, Statement from, List<String> path, Statement name) {
        if (path.size() > MOST_DEEP) {
            return;
        }
        for (Statement one : from.children()) {
            boolean pattern = one.word.startsWith("<");
            List<Statement> targets =
                    pattern
                            ? into.children().stream()
                                    .filter(child -> PrefixLists.fits(one.word, child.word))
                                    .toList()
                            : into.has(one.word)
                                    ? List.of(Objects.requireNonNull(into.child(one.word)))
                                    : List.of();
            if (path.isEmpty() && !PARTS.contains(one.word)) {
                continue;
            }
            if (targets.isEmpty() && !pattern) {
                add(into, one, path, name);
            }
            for (Statement target : targets) {
                path.add(target.word);
                inherit(target, one, path, name);
                path.remove(path.size() - 1);
            }
        }
    }

    private void add(Statement into, Statement one, List<String> path, Statement name) {
        boolean empty = into.children().isEmpty();
        if (SINGLE.contains(into.word) && !empty) {
            return;
        }
        int last = path.size() - 1;
        boolean within =
                path.subList(0, Math.max(0, last)).stream()
                        .anyMatch(word -> word.equals("term") || word.equals("policy"));
        if (ORDERED.contains(into.word) && !empty || within) {
            config.skipped(
                    name.refused(
                            "adds %s to %s, which has statements of its own%s"
                                    .formatted(one.word, String.join(" ", path), REMEDY)));
            return;
        }
        into.graft(one);
    }
}
