package dev.sluice.policy.nft;

import java.io.IOException;
import java.util.List;

/** Number of rules in a text of nftables, of those that no reader understands, too. */
public final class RulesetSize {
    private RulesetSize() {}

    /** Counts the rules that chains of the text have, as a script leaves them. */
    public static int of(String file, String text) throws IOException {
        try {
            Ruleset ruleset = new Ruleset();
            String whole = text.replaceAll("(?m)^\\s*include .*$", ""); // of files elsewhere
            for (Node command : commands(file, whole)) {
                ruleset.run(command);
            }
            return ruleset.tables().stream()
                    .flatMap(table -> table.chains().values().stream())
                    .mapToInt(chain -> chain.rules().size())
                    .sum();
        } catch (RefusedException e) {
            throw new AssertionError(file + ": " + e.inLine().getMessage(), e);
        }
    }

    private static List<Node> commands(String file, String text)
            throws RefusedException, IOException {
        if (text.stripLeading().startsWith("{")) {
            return JsonReader.commands(file, text);
        }
        return TextReader.commands(
                file,
                text,
                new TextReader.Reports() {
                    @Override
                    public void refuse(RefusedException refused) {
                        throw new AssertionError(file + ": " + refused.inLine().getMessage());
                    }

                    @Override
                    public boolean skips(RefusedException refused) {
                        return true;
                    }
                });
    }
}
