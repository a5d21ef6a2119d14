package dev.sluice.policy.appliance;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Setting of a configuration, with those below it in the order of the file. A value is a child
 * without children, so that texts of all forms make one tree. Not thread-safe.
 */
public final class ConfigNode {
    /** Most settings on the way from the root to one. */
    public static final int MOST_DEPTH = 200;

    private final String name;
    private final int line;
    private final int column;
    private final Map<String, ConfigNode> children = new LinkedHashMap<>();

    /** A setting without any below it. */
    public ConfigNode(String name, int line, int column) {
        this.name = name;
        this.line = line;
        this.column = column;
    }

    /** The name, or the value. */
    public String name() {
        return name;
    }

    /** The line of its first word, from 1. */
    public int line() {
        return line;
    }

    /** The setting of a name below this one, which is made if it is missing. */
    public ConfigNode add(String child, int atLine, int atColumn) {
        return children.computeIfAbsent(child, of -> new ConfigNode(of, atLine, atColumn));
    }

    /** The setting of a name below this one; null: there is none. */
    public @Nullable ConfigNode child(String child) {
        return children.get(child);
    }

    /** The setting of names, each below the one before; without children where one is missing. */
    public ConfigNode at(String... names) {
        ConfigNode node = this;
        for (String each : names) {
            ConfigNode next = node.children.get(each);
            if (next == null) {
                return new ConfigNode(each, node.line, node.column);
            }
            node = next;
        }
        return node;
    }

    /** The settings below this one. */
    public Collection<ConfigNode> children() {
        return children.values();
    }

    /** Forgets the settings below this one. */
    public void clear() {
        children.clear();
    }

    /** Forgets a setting below this one. */
    public void remove(String child) {
        children.remove(child);
    }

    /** The values of a setting below this one; none where it is missing. */
    public List<ConfigNode> values(String child) {
        ConfigNode of = children.get(child);
        return of == null ? List.of() : List.copyOf(of.children.values());
    }

    /** The value of a setting below this one; a default where it is missing. */
    public String value(String child, String otherwise) {
        List<ConfigNode> values = values(child);
        return values.isEmpty() ? otherwise : values.get(0).name;
    }

    /** The one value. */
    public ConfigNode only() throws RuleSyntaxException {
        try {
            return children.values().iterator().next();
        } catch (NoSuchElementException e) {
            throw refused("has no value; write one");
        }
    }

    /** A defect of this setting. */
    public RuleSyntaxException refused(String problem) {
        return new RuleSyntaxException(column, name, problem).onLine(line);
    }

    /** The addresses that the name states. */
    public AddressRanges addresses() throws RuleSyntaxException {
        try {
            return AddressRanges.of(name, column);
        } catch (RuleSyntaxException e) {
            throw e.onLine(line);
        }
    }

    /** The number that the name, or a part of it, states. */
    public long number(String part, long most) throws RuleSyntaxException {
        try {
            return Literals.number(part, column, most);
        } catch (RuleSyntaxException e) {
            throw e.onLine(line);
        }
    }

    /** The column of its first word, from 1. */
    public int column() {
        return column;
    }
}
