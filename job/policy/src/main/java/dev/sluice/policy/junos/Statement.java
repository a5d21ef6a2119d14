package dev.sluice.policy.junos;

import dev.sluice.policy.RuleSyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Word of a configuration with the words that follow it: both text forms make the same tree. Where
 * a word is written twice at one place, its children are those of both.
 */
final class Statement {
    /** Longer texts of statements are cut. */
    private static final int MOST_SHOWN = 600;

    final String word;
    final int line;
    final int column;
    private int lastLine;
    private boolean inactive;
    private @Nullable Map<String, Statement> children;

    Statement(String word, int line, int column) {
        this.word = word;
        this.line = line;
        this.column = column;
        lastLine = line;
    }

    /** The child of a word, which is made where there is none. */
    Statement add(String child, int at, int col) {
        if (children == null) {
            children = new LinkedHashMap<>();
        }
        Statement one = children.computeIfAbsent(child, none -> new Statement(child, at, col));
        one.lastLine = Math.max(one.lastLine, at);
        return one;
    }

    /** Makes a statement of elsewhere a child, too. */
    void graft(Statement other) {
        if (children == null) {
            children = new LinkedHashMap<>();
        }
        children.put(other.word, other);
    }

    /** Ends at a line. */
    void endsAt(int last) {
        lastLine = Math.max(lastLine, last);
    }

    /** The last line that belongs to it. */
    int lastLine() {
        return lastLine;
    }

    void deactivate() {
        inactive = true;
    }

    /** Removes all children. */
    void clear() {
        children = null;
    }

    /** Removes a child; returns whether it was a value, and the last one. */
    boolean remove(String child) {
        Statement removed = children == null ? null : children.remove(child);
        return removed != null && removed.children == null && children().isEmpty();
    }

    /** The active child of a word; null: there is none. */
    @Nullable Statement child(String name) {
        Statement one = children == null ? null : children.get(name);
        return one == null || one.isOff() ? null : one;
    }

    /** The active statement at the end of a path of words; null: there is none. */
    @Nullable Statement at(String... path) {
        Statement at = this;
        for (String name : path) {
            at = at == null ? null : at.child(name);
        }
        return at;
    }

    /** Truth of being inactive, or a keyword each value of which is. */
    private boolean isOff() {
        return inactive
                || children != null
                        && !children.isEmpty()
                        && children.values().stream()
                                .allMatch(one -> one.inactive && one.children == null);
    }

    boolean has(String name) {
        return child(name) != null;
    }

    /** The active children, in their order. */
    List<Statement> children() {
        List<Statement> active = new ArrayList<>();
        if (children != null) {
            children.values().stream().filter(one -> !one.isOff()).forEach(active::add);
        }
        return active;
    }

    /** The active children of a child, in their order; none where there is no such child. */
    List<Statement> children(String name) {
        Statement one = child(name);
        return one == null ? List.of() : one.children();
    }

    /** The one word that follows it; null where there is none, or several. */
    @Nullable Statement value() {
        List<Statement> active = children();
        return active.size() == 1 ? active.get(0) : null;
    }

    /** The defect that this word makes. */
    JunosException refused(String problem) {
        return new JunosException(line, new RuleSyntaxException(column, word, problem));
    }

    /** Its words and those of its children on one line, cut where they are many. */
    String text() {
        StringBuilder text = new StringBuilder();
        write(text);
        return text.length() > MOST_SHOWN ? text.substring(0, MOST_SHOWN) + "..." : text.toString();
    }

    private void write(StringBuilder text) {
        text.append(word.matches("[^\\s\"{};]+") ? word : '"' + word + '"');
        List<Statement> active = children();
        if (text.length() > MOST_SHOWN || active.isEmpty()) {
            return;
        }
        if (active.size() == 1) {
            active.get(0).write(text.append(' '));
            return;
        }
        boolean words = active.stream().allMatch(one -> one.children().isEmpty());
        boolean list = words && !word.equals("then") && !word.equals("from");
        text.append(list ? " [ " : " { ");
        for (Statement one : active) {
            if (text.length() > MOST_SHOWN) {
                return;
            }
            one.write(text);
            text.append(list || text.charAt(text.length() - 1) == '}' ? " " : "; ");
        }
        text.append(list ? ']' : '}');
    }
}
