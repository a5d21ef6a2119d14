package dev.sluice.policy.fortigate;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.appliance.ConfigNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Reader of a configuration of FortiOS as a tree: tables, their entries, settings, values. */
final class FortiText {
    private final RuleReading in;
    private final String text;
    private final Deque<ConfigNode> open = new ArrayDeque<>();
    private int at;
    private int line = 1;
    private int lineStart;

    private FortiText(RuleReading in, String text) {
        this.in = in;
        this.text = text;
    }

    private record Word(String text, int line, int column) {}

    /** The tables of a text; defects are reported. */
    static ConfigNode read(RuleReading in, String text) {
        ConfigNode root = new ConfigNode("", 1, 1);
        new FortiText(in, text).read(root);
        return root;
    }

    private void read(ConfigNode root) {
        open.push(root);
        while (at < text.length()) {
            int first = line;
            try {
                List<Word> words = words();
                if (!words.isEmpty()) {
                    statement(words);
                }
            } catch (RuleSyntaxException e) {
                in.defect(first, e);
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            }
            at++;
            line++;
            lineStart = at;
        }
        if (open.size() > 1) {
            ConfigNode last = open.element();
            in.defect(
                    last.line(),
                    last.refused("is not closed; the file ends before its end or next"));
        }
    }

    private void statement(List<Word> words) throws RuleSyntaxException {
        Word first = words.get(0);
        ConfigNode within = open.element();
        List<Word> rest = words.subList(1, words.size());
        switch (first.text) {
            case "config" -> push(within.add(joined(rest), first.line, first.column), first);
            case "edit" -> push(within.add(joined(rest), first.line, first.column), first);
            case "next", "end" -> {
                if (open.size() == 1) {
                    throw refused(first, "closes nothing; remove it");
                }
                open.pop();
            }
            case "set", "select", "append" -> {
                require(first, rest);
                Word name = rest.get(0);
                ConfigNode setting = within.add(name.text, name.line, name.column);
                if (!first.text.equals("append")) {
                    setting.clear();
                }
                for (Word value : rest.subList(1, rest.size())) {
                    setting.add(value.text, value.line, value.column);
                }
            }
            case "unset" -> {
                require(first, rest);
                within.remove(rest.get(0).text);
            }
            case "move", "clone", "rename", "delete", "purge", "unselect", "insert" -> {
                if (open.stream().anyMatch(node -> node.name().startsWith("firewall "))) {
                    throw refused(
                            first,
                            "changes a table; give the output of show, which has the result");
                }
            }
            default -> {
                if (open.size() > 1) {
                    throw refused(first, "is no command of a table; write set, edit, next or end");
                }
            }
        }
    }

    private void push(ConfigNode node, Word at) throws RuleSyntaxException {
        if (open.size() > ConfigNode.MOST_DEPTH) {
            throw refused(at, "is nested too deep; nest it less");
        }
        open.push(node);
    }

    private static void require(Word first, List<Word> rest) throws RuleSyntaxException {
        if (rest.isEmpty()) {
            throw refused(first, "names no setting; write its name");
        }
    }

    private static RuleSyntaxException refused(Word word, String problem) {
        return new RuleSyntaxException(word.column, word.text, problem);
    }

    private static String joined(List<Word> words) {
        return String.join(" ", words.stream().map(Word::text).toList());
    }

    /** The words up to the end of a line, without comments; quoted ones may span lines. */
    private List<Word> words() throws RuleSyntaxException {
        List<Word> words = new ArrayList<>();
        while (at < text.length() && text.charAt(at) != '\n') {
            char c = text.charAt(at);
            if (c <= ' ') {
                at++;
            } else if (c == '#' && words.isEmpty()) {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else {
                words.add(word());
            }
        }
        return words;
    }

    /** A word, whose quoted parts belong to it. */
    private Word word() throws RuleSyntaxException {
        int ofLine = line;
        int column = at - lineStart + 1;
        StringBuilder word = new StringBuilder();
        char quote = 0;
        while (at < text.length() && (quote != 0 || text.charAt(at) > ' ')) {
            char c = text.charAt(at++);
            if (c == '\\' && at < text.length() && quote != '\'') {
                word.append(text.charAt(at++));
            } else if (c == quote) {
                quote = 0;
            } else if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else {
                word.append(c);
            }
            if (text.charAt(at - 1) == '\n') {
                line++;
                lineStart = at;
            }
        }
        if (quote != 0) {
            throw new RuleSyntaxException(column, "" + quote, "is not closed; close the quotes");
        }
        return new Word(word.toString(), ofLine, column);
    }
}
