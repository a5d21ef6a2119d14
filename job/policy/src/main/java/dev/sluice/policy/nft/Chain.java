package dev.sluice.policy.nft;

import java.util.ArrayList;
import java.util.List;

/** Chain of a table, as its ruleset declares it. */
final class Chain {
    private final Node declaration;
    private final int number;
    private final List<Node> rules = new ArrayList<>();

    /**
     * A chain without rules.
     *
     * @param number how many chains of the ruleset were made before
     */
    Chain(Node declaration, int number) {
        this.declaration = declaration;
        this.number = number;
    }

    int number() {
        return number;
    }

    String name() {
        return declaration.text("name");
    }

    Node declaration() {
        return declaration;
    }

    boolean isBase() {
        return declaration.get("hook") != null;
    }

    String hook() {
        return declaration.text("hook");
    }

    String type() {
        return declaration.text("type");
    }

    boolean drops() {
        return declaration.text("policy").equals("drop");
    }

    List<Node> rules() {
        return rules;
    }
}
