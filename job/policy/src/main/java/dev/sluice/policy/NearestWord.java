package dev.sluice.policy;

import java.util.Optional;
import java.util.stream.Stream;

/** Search for the word that a misspelt one stands for. */
public final class NearestWord {
    private NearestWord() {}

    /**
     * Finds the word with the fewest edits, one for each two letters at most: a letter more, less,
     * another, or two swapped (optimal string alignment).
     */
    public static Optional<String> of(String misspelt, Stream<String> words) {
        String best = null;
        int least = misspelt.length() / 2;
        for (String word : (Iterable<String>) words.sorted()::iterator) {
            int edits = edits(misspelt, word);
            if (edits <= 2 && edits < least) {
                best = word;
                least = edits;
            }
        }
        return Optional.ofNullable(best);
    }

    private static int edits(String a, String b) {
        int[][] least = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    least[i][j] = i + j;
                    continue;
                }
                int other = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int one = Math.min(least[i - 1][j], least[i][j - 1]) + 1;
                least[i][j] = Math.min(one, least[i - 1][j - 1] + other);
                boolean swapped =
                        i > 1
                                && j > 1
                                && a.charAt(i - 1) == b.charAt(j - 2)
                                && a.charAt(i - 2) == b.charAt(j - 1);
                least[i][j] =
                        swapped ? Math.min(least[i][j], least[i - 2][j - 2] + 1) : least[i][j];
            }
        }
        return least[a.length()][b.length()];
    }
}
