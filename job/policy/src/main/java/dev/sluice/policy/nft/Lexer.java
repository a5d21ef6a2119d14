package dev.sluice.policy.nft;

import dev.sluice.policy.nft.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts the text of a ruleset into tokens, as nft's scanner does. */
final class Lexer {
    private static final Pattern SIGN =
            Pattern.compile("==|!=|<=|>=|<<|>>|[{}()\\[\\],;:./\\-=<>!&|^$@*+]");
    private static final Pattern QUOTED = Pattern.compile("\"([^\"\\n]*)\"");

    private static final Pattern NAME =
            Pattern.compile(
                    "\\\\\\*|[A-Za-z_][A-Za-z0-9/_.\\-]*(?:\\\\\\*(?:[A-Za-z_.][A-Za-z0-9/_.\\-]*)?|\\*)?");

    /** A number, a time, a link type, a class of traffic, an IPv4 address, or a MAC address. */
    private static final List<Pattern> NUMBERS =
            List.of(
                    Pattern.compile("0[xX][0-9a-fA-F]+"),
                    Pattern.compile("[0-9]++(?:ms|[dhms])(?:[0-9]++(?:ms|[hms])){0,4}+"),
                    Pattern.compile("8021(?:q|ad)\\b"),
                    Pattern.compile("[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,4}(?=[ \t\n:,}-])"),
                    Pattern.compile("[0-9]{1,3}(?:\\.[0-9]{1,3}){3}"),
                    Pattern.compile("(?:[0-9a-fA-F]{1,2}:){5}[0-9a-fA-F]{1,2}"),
                    Pattern.compile("[0-9]+"));

    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:]{2,39}+(?:\\.[0-9]{1,3}){0,3}");

    private final String file;
    private final String text;
    private int at;
    private int line = 1;
    private int lineStart;

    private Lexer(String file, String text) {
        this.file = file;
        this.text = text;
    }

    static List<Token> tokens(String file, String text) throws RefusedException {
        Lexer lexer = new Lexer(file, text);
        List<Token> tokens = new ArrayList<>();
        do {
            tokens.add(lexer.next());
        } while (tokens.get(tokens.size() - 1).kind() != Kind.END);
        return tokens;
    }

    private Token next() throws RefusedException {
        skipBlank();
        if (at >= text.length()) {
            return token(Kind.END, "", at);
        }
        char c = text.charAt(at);
        if (c == '\n') {
            Token end = token(Kind.LINE_END, "\n", at + 1);
            line++;
            lineStart = at;
            return end;
        }
        if (c == '"') {
            Matcher quoted = at(QUOTED);
            if (!quoted.lookingAt()) {
                int end = text.indexOf('\n', at);
                throw spot().refused(
                                text.substring(at, end < 0 ? text.length() : end),
                                "has no closing quote; add one");
            }
            return token(Kind.QUOTED, quoted.group(1), quoted.end());
        }
        int word = wordEnd(c);
        if (word > at) {
            return token(Kind.WORD, text.substring(at, word), word);
        }
        if (c == '\r') {
            throw spot().refused(
                            "the end of the line",
                            "is one of Windows, which nft refuses; write ends of Unix, as dos2unix"
                                    + " does");
        }
        Matcher sign = at(SIGN);
        if (!sign.lookingAt()) {
            throw spot().refused(String.valueOf(c), "is no sign of nft's text; remove it");
        }
        return token(Kind.SIGN, sign.group(), sign.end());
    }

    private int wordEnd(char c) {
        int end = at;
        if (c == ':' || Character.digit(c, 16) >= 0 && c < 0x80) {
            for (Pattern pattern : NUMBERS) {
                Matcher number = at(pattern);
                end = number.lookingAt() ? Math.max(end, number.end()) : end;
            }
            end = Math.max(end, addressEnd());
        }
        Matcher name = at(NAME);
        return name.lookingAt() ? Math.max(end, name.end()) : end;
    }

    /** The end of an IPv6 address, or where the scanner stands. */
    private int addressEnd() {
        Matcher matcher = at(V6);
        if (!matcher.lookingAt()) {
            return at;
        }
        int end = matcher.end();
        String address = text.substring(at, end);
        if (address.endsWith(":") && !address.endsWith("::")) {
            address = address.substring(0, address.length() - 1);
            end--;
        }
        boolean whole = address.chars().filter(c -> c == ':').count() >= 7;
        return address.contains("::") || whole ? end : at;
    }

    private void skipBlank() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '#') {
                int end = text.indexOf('\n', at);
                at = end < 0 ? text.length() : end;
            } else if (c == '\\' && at + 1 < text.length() && text.charAt(at + 1) == '\n') {
                at += 2;
                line++;
                lineStart = at;
            } else if (c == ' ' || c == '\t') {
                at++;
            } else {
                return;
            }
        }
    }

    private Matcher at(Pattern pattern) {
        return pattern.matcher(text).region(at, text.length());
    }

    private Spot spot() {
        return new Spot(file, line, at - lineStart + 1);
    }

    private Token token(Kind kind, String words, int to) {
        Token token = new Token(kind, words, spot(), at, to);
        at = to;
        return token;
    }
}
