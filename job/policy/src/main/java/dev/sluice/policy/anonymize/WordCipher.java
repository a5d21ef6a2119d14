package dev.sluice.policy.anonymize;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Cipher of words that keeps common beginnings: the letter that stands for another one hangs on the
 * letters before it. Digits and punctuation stay; letters that are not ASCII are {@code x}.
 */
final class WordCipher {
    private static final int LETTERS = 26;

    private final byte[] key;

    /** Words that stay, so that no other word becomes one of them. */
    private final Set<String> kept;

    private final Map<String, List<Integer>> known = new HashMap<>();

    WordCipher(byte[] key, Set<String> kept) {
        this.key = key.clone();
        this.kept = Set.copyOf(kept);
    }

    /** The word that stands for another one; of equal length. */
    String of(String word) {
        StringBuilder other = new StringBuilder(word.length());
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c >= 'a' && c <= 'z') {
                other.append((char) ('a' + letters(word.substring(0, i), 'a').get(c - 'a')));
            } else if (c >= 'A' && c <= 'Z') {
                other.append((char) ('A' + letters(word.substring(0, i), 'A').get(c - 'A')));
            } else {
                other.append(c < 128 ? c : 'x');
            }
        }
        return other.toString();
    }

    /** The letters behind a beginning, in another order. */
    private List<Integer> letters(String before, char first) {
        return known.computeIfAbsent(first + before, text -> draw(before, first, text));
    }

    private List<Integer> draw(String before, char first, String text) {
        List<Integer> free = new ArrayList<>();
        for (int i = 0; i < LETTERS; i++) {
            String longer = before + (char) (first + i);
            if (kept.stream().noneMatch(word -> word.startsWith(longer))) {
                free.add(i);
            }
        }
        List<Integer> drawn = new ArrayList<>(free);
        Collections.shuffle(drawn, new Random(seed(text)));
        List<Integer> letters = new ArrayList<>();
        for (int i = 0; i < LETTERS; i++) {
            int at = free.indexOf(i);
            letters.add(at < 0 ? i : drawn.get(at));
        }
        return letters;
    }

    private long seed(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(key);
            return ByteBuffer.wrap(digest.digest(text.getBytes(UTF_8))).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }
}
