package dev.sluice.policy.junos;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a configuration in either text form: braces, or a {@code set} command a line. Not
 * thread-safe.
 */
final class ConfigReader {
    /** First words of a line that is a command. */
    private static final Set<String> COMMANDS =
            Set.of("set", "delete", "deactivate", "activate", "protect", "annotate");

    /** First words of commands that no configuration is dumped as. */
    private static final Set<String> CHANGES =
            Set.of("insert", "rename", "copy", "replace", "wildcard");

    private static final Set<String> TAGS =
            Set.of("inactive:", "replace:", "delete:", "protect:", "active:");

    /** Lines of a terminal that stand around a configuration. */
    private static final Pattern TERMINAL =
            Pattern.compile("\\s*(\\S+@\\S+[>#%].*|\\{[a-z]+(:[^}\\s]*)?\\}|\\[edit.*\\])\\s*");

    private record Token(String word, int line, int column) {}

    private final RuleReading in;
    private final String text;
    private final Statement root;
    private final Deque<Statement> open = new ArrayDeque<>();
    private final List<Token> words = new ArrayList<>();
    private @Nullable List<Token> list;
    private boolean command;
    private int at;
    private int line = 1;
    private int lineStart;

    private ConfigReader(RuleReading in, String text) {
        this.in = in;
        this.text = text;
        root = new Statement(in.file(), 1, 1);
        open.push(root);
    }

    /** Reads a text to its end, and reports its defects. */
    static Statement read(RuleReading in, String text) {
        ConfigReader reader = new ConfigReader(in, text);
        reader.read();
        return reader.root;
    }

    private void read() {
        while (skip()) {
            char c = text.charAt(at);
            Token here = new Token("" + c, line, at - lineStart + 1);
            if (c == '[' && !words.isEmpty() && list == null) {
                list = new ArrayList<>();
                at++;
            } else if (c == ']' && list != null) {
                at++;
                if (!command && skip() && text.charAt(at) != ';') {
                    defect(here, "ends a list, behind which ; stands");
                }
            } else if (!command && c == ';') {
                at++;
                end();
            } else if (!command && c == '{') {
                at++;
                open(here);
            } else if (!command && c == '}') {
                at++;
                close(here);
            } else {
                take(word(c));
            }
        }
        if (command) {
            end();
        }
        if (!words.isEmpty() || open.size() > 1) {
            Token last =
                    words.isEmpty()
                            ? new Token(open.element().word, open.element().line, 1)
                            : words.get(0);
            defect(last, "has no end: the text is cut off; dump the whole configuration");
        }
    }

    /** Moves to the next token; ends commands at the ends of their lines. */
    private boolean skip() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\n') {
                at++;
                line++;
                lineStart = at;
                if (command) {
                    end();
                }
            } else if (Character.isWhitespace(c)) {
                at++;
            } else if (c == '#') {
                at = until('\n');
            } else if (c == '/' && text.startsWith("/*", at)) {
                int close = text.indexOf("*/", at + 2);
                int to = close < 0 ? text.length() : close + 2;
                for (; at < to; at++) {
                    if (text.charAt(at) == '\n') {
                        line++;
                        lineStart = at + 1;
                    }
                }
            } else if (words.isEmpty() && open.size() == 1 && isTerminal()) {
                at = until('\n');
            } else {
                return true;
            }
        }
        return false;
    }

    private boolean isTerminal() {
        char c = text.charAt(at);
        int stop = until('\n');
        return (c == '{' || c == '[' || text.lastIndexOf('@', stop) > at)
                && TERMINAL.matcher(text.substring(at, stop)).matches();
    }

    private int until(char c) {
        int next = text.indexOf(c, at);
        return next < 0 ? text.length() : next;
    }

    private Token word(char first) {
        int from = at;
        int column = at - lineStart + 1;
        if (first == '"') {
            StringBuilder quoted = new StringBuilder();
            for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
                if (text.charAt(at) == '\\' && at + 1 < text.length()) {
                    at++;
                }
                if (text.charAt(at) == '\n') {
                    break;
                }
                quoted.append(text.charAt(at));
            }
            Token token = new Token(quoted.toString(), line, column);
            if (at < text.length() && text.charAt(at) == '"') {
                at++;
            } else {
                defect(token, "is a text without its closing quote; write \" behind it");
            }
            return token;
        }
        String ends = command ? "[]" : "{};[]";
        at++;
        while (at < text.length()
                && !Character.isWhitespace(text.charAt(at))
                && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return new Token(text.substring(from, at), line, column);
    }

    private void take(Token token) {
        if (words.isEmpty()
                && open.size() == 1
                && (COMMANDS.contains(token.word) || CHANGES.contains(token.word))) {
            command = true;
        }
        (list == null ? words : list).add(token);
    }

    private void open(Token here) {
        boolean deletes = !words.isEmpty() && words.get(0).word.equals("delete:");
        if (words.stream().allMatch(token -> TAGS.contains(token.word)) || list != null) {
            defect(here, "opens a block that has no name; write one before it");
            words.add(new Token("", here.line, here.column));
        }
        Statement block = statement();
        if (deletes) {
            block.clear();
        }
        open.push(block);
        words.clear();
        list = null;
    }

    private void close(Token here) {
        if (!words.isEmpty()) {
            defect(words.get(0), "lacks ; at its end");
            end();
        }
        if (open.size() == 1) {
            defect(here, "closes nothing; remove it");
        } else {
            open.pop().endsAt(here.line);
        }
    }

    private void end() {
        if (!words.isEmpty()) {
            if (command) {
                command();
            } else {
                statement();
            }
        }
        words.clear();
        list = null;
        command = false;
    }

    private void command() {
        Token first = words.remove(0);
        String verb = first.word;
        if (words.isEmpty()) {
            return;
        }
        if (verb.equals("set")) {
            add(root, words);
        } else if (verb.equals("deactivate")) {
            add(root, words).deactivate();
        } else if (verb.equals("delete")) {
            delete(root, words);
        } else if (CHANGES.contains(verb)) {
            defect(first, "changes what stands there; dump by show configuration | display set");
        }
    }

    /** Adds a statement of the block that is open, and returns its last word. */
    private Statement statement() {
        List<Token> path = new ArrayList<>(words);
        String tag = "";
        while (!path.isEmpty() && TAGS.contains(path.get(0).word)) {
            tag = path.remove(0).word;
        }
        Statement block = open.element();
        if (path.isEmpty()) {
            return block;
        }
        if (tag.equals("delete:")) {
            delete(block, path);
        }
        Statement last = tag.equals("delete:") ? new Statement("", line, 1) : add(block, path);
        if (tag.equals("replace:")) {
            last.clear();
        } else if (tag.equals("inactive:")) {
            last.deactivate();
        }
        return last;
    }

    private Statement add(Statement to, List<Token> path) {
        Statement last = to;
        for (Token token : path) {
            last = last.add(token.word, token.line, token.column);
        }
        for (Token token : list == null ? List.<Token>of() : list) {
            last.add(token.word, token.line, token.column);
        }
        return last;
    }

    private static void delete(Statement from, List<Token> path) {
        Statement parent = from;
        Statement before = from;
        for (Token token : path.subList(0, path.size() - 1)) {
            Statement next = parent.child(token.word);
            if (next == null) {
                return;
            }
            before = parent;
            parent = next;
        }
        if (parent.remove(path.get(path.size() - 1).word)) {
            before.remove(parent.word); // a keyword without its value
        }
    }

    private void defect(Token of, String problem) {
        in.defect(of.line, new RuleSyntaxException(of.column, of.word, problem));
    }
}
