package dev.sluice.lab.kit;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Record behind one row of a table, asked for by expressions ({@link TableSpec} has their forms).
 *
 * @param own the record, or an element of one of its arrays
 * @param outer the record of that element, asked for members that the element lacks
 */
record Row(JsonNode own, JsonNode outer) {
    private static final Pattern CHOSEN = Pattern.compile("(.+)\\[([^=>]+)([=>])(.*)]");
    private static final Pattern NAMED = Pattern.compile("\\{([^}]+)}");
    private static final String BOLD = ", bold below ";
    private static final String ELSE = ", else ";

    /** Returns the text of an expression. */
    String text(String expression) {
        int bold = expression.indexOf(BOLD);
        if (bold >= 0) {
            BigDecimal least = new BigDecimal(expression.substring(bold + BOLD.length()));
            return number(expression.substring(0, bold))
                    .map(v -> v.compareTo(least) < 0 ? "**" + rounded(v) + "**" : rounded(v))
                    .orElse("");
        }
        int other = expression.indexOf(ELSE);
        if (other >= 0) {
            String text = text(expression.substring(0, other));
            return text.isEmpty() ? expression.substring(other + ELSE.length()) : text;
        }
        if (expression.contains(" : ")) {
            return number(expression).map(Row::rounded).orElse("");
        }
        List<String> texts = new ArrayList<>();
        for (String path : expression.split(" / ")) {
            values(path).forEach(value -> texts.add(Figure.of(value)));
        }
        return texts.stream().allMatch(String::isEmpty) ? "" : String.join(" / ", texts);
    }

    private static String rounded(BigDecimal value) {
        return Figure.rounded(value, 3);
    }

    /** Returns the number of a path, a number as it is written, or a quotient of two. */
    Optional<BigDecimal> number(String expression) {
        String[] parts = expression.split(" : ");
        if (parts.length == 2) {
            return number(parts[0])
                    .flatMap(a -> number(parts[1]).map(b -> a.divide(b, MathContext.DECIMAL64)));
        }
        if (expression.matches("\\d+")) {
            return Optional.of(new BigDecimal(expression));
        }
        return values(expression).stream()
                .filter(JsonNode::isNumber)
                .map(JsonNode::decimalValue)
                .findFirst();
    }

    private List<JsonNode> values(String path) {
        String named =
                NAMED.matcher(path)
                        .replaceAll(name -> Matcher.quoteReplacement(text(name.group(1))));
        String first = named.replaceFirst("[.\\[].*", "");
        List<JsonNode> found = List.of(own.has(first) ? own : outer);
        for (String member : named.split("\\.")) {
            found = found.stream().flatMap(node -> members(node, member).stream()).toList();
        }
        return found;
    }

    private static List<JsonNode> members(JsonNode node, String member) {
        Matcher chosen = CHOSEN.matcher(member);
        if (!chosen.matches()) {
            return List.of(node.path(member));
        }
        List<JsonNode> elements = new ArrayList<>();
        for (JsonNode element : node.path(chosen.group(1))) {
            if (isChosen(element.path(chosen.group(2)), chosen)) {
                elements.add(element);
            }
        }
        return elements;
    }

    private static boolean isChosen(JsonNode value, MatchResult chosen) {
        return chosen.group(3).equals(">")
                ? value.asDouble() > Double.parseDouble(chosen.group(4))
                : value.isNumber()
                        ? value.asDouble() == Double.parseDouble(chosen.group(4))
                        : value.asText().equals(chosen.group(4));
    }

    /**
     * Returns what a function of a group says, or the text of its first row: {@code rows}, {@code
     * span MEMBER DIGITS}, {@code least MEMBERS}, {@code sum MEMBER}, {@code mean MEMBER} (the
     * geometric one) or {@code below MEMBER NUMBER}.
     */
    static String ofGroup(List<Row> rows, String expression) {
        String[] words = expression.split(" ");
        String[] members = words.length == 1 ? new String[0] : words[1].split(",");
        List<BigDecimal> numbers =
                rows.stream()
                        .flatMap(r -> Arrays.stream(members).flatMap(m -> r.number(m).stream()))
                        .sorted()
                        .toList();
        return switch (words[0]) {
            case "rows" -> String.valueOf(rows.size());
            case "sum" -> numbers.stream().reduce(BigDecimal.ZERO, BigDecimal::add).toString();
            case "below" -> {
                BigDecimal bound = new BigDecimal(words[2]);
                yield "" + numbers.stream().filter(n -> n.compareTo(bound) < 0).count();
            }
            case "least" -> numbers.isEmpty() ? "" : rounded(numbers.get(0));
            case "mean" -> mean(numbers);
            case "span" -> numbers.isEmpty() ? "" : span(numbers, Integer.parseInt(words[2]));
            default -> rows.get(0).text(expression);
        };
    }

    private static String mean(List<BigDecimal> numbers) {
        double logarithm =
                numbers.stream().mapToDouble(n -> Math.log(n.doubleValue())).average().orElse(0);
        return rounded(BigDecimal.valueOf(Math.exp(logarithm)));
    }

    private static String span(List<BigDecimal> sorted, int digits) {
        String least = Figure.rounded(sorted.get(0), digits);
        String most = Figure.rounded(sorted.get(sorted.size() - 1), digits);
        return least.equals(most) ? least : least + " to " + most;
    }
}
