package dev.sluice.policy.nft;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Set or map of a table. */
final class NamedSet {
    private final String name;
    private final Node declaration;
    private final boolean map;
    private final List<Node> elements = new ArrayList<>();

    /** True if rules add elements, so that nobody knows which ones it holds. */
    private boolean changes;

    NamedSet(String name, Node declaration, boolean map) {
        this.name = name;
        this.declaration = declaration;
        this.map = map;
    }

    String name() {
        return name;
    }

    Node declaration() {
        return declaration;
    }

    boolean isMap() {
        return map;
    }

    boolean isVerdicts() {
        return declaration.text("map").equals("verdict");
    }

    List<Node> elements() {
        return elements;
    }

    boolean changes() {
        return changes;
    }

    void change() {
        changes = true;
    }

    /** Returns whether elements may be ranges. */
    boolean hasRanges() {
        Node flags = declaration.get("flags");
        return flags != null && flags.list().stream().anyMatch(flag -> flag.is("interval"));
    }

    /** Returns whether nft refuses elements that overlap. */
    boolean refusesOverlaps() {
        return map || hasRanges();
    }

    /** The types of its key's parts; null: they are those of an expression. */
    @Nullable List<Node> types() {
        Node type = declaration.get("type");
        return type == null || type.get("typeof") != null ? null : type.list();
    }
}
