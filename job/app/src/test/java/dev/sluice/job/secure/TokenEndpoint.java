package dev.sluice.job.secure;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;

/** A small OAuth server: gives a token to a client who knows the secret, and its public key. */
final class TokenEndpoint implements AutoCloseable {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final HttpServer server;
    private final KeyPair keys;

    TokenEndpoint(String client, String secret) throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        keys = generator.generateKeyPair();
        String basic =
                "Basic "
                        + Base64.getEncoder()
                                .encodeToString((client + ":" + secret).getBytes(UTF_8));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/token",
                exchange -> {
                    boolean known =
                            basic.equals(exchange.getRequestHeaders().getFirst("Authorization"));
                    answer(
                            exchange,
                            known ? 200 : 401,
                            known
                                    ? "{\"access_token\":\"%s\",\"expires_in\":600}"
                                            .formatted(token(client))
                                    : "{\"error\":\"invalid_client\"}");
                });
        server.createContext("/keys", exchange -> answer(exchange, 200, publicKey()));
        server.start();
    }

    private static void answer(
            com.sun.net.httpserver.HttpExchange exchange, int status, String text)
            throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private String token(String subject) {
        long now = Instant.now().getEpochSecond();
        String text =
                encoded("{\"alg\":\"RS256\",\"kid\":\"key\"}")
                        + "."
                        + encoded(
                                "{\"sub\":\"%s\",\"iat\":%d,\"exp\":%d,\"scope\":\"kafka\"}"
                                        .formatted(subject, now, now + 600));
        try {
            Signature signature = Signature.getInstance("SHA256withRSA");
            signature.initSign(keys.getPrivate());
            signature.update(text.getBytes(UTF_8));
            return text + "." + BASE64.encodeToString(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private String publicKey() {
        RSAPublicKey key = (RSAPublicKey) keys.getPublic();
        return "{\"keys\":[{\"kty\":\"RSA\",\"alg\":\"RS256\",\"use\":\"sig\",\"kid\":\"key\",\"n\":\"%s\",\"e\":\"%s\"}]}"
                .formatted(encoded(key.getModulus()), encoded(key.getPublicExponent()));
    }

    private static String encoded(String text) {
        return BASE64.encodeToString(text.getBytes(UTF_8));
    }

    private static String encoded(BigInteger number) {
        byte[] bytes = number.toByteArray();
        int sign = bytes[0] == 0 && bytes.length > 1 ? 1 : 0;
        return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, sign, bytes.length));
    }

    String tokens() {
        return "http://localhost:" + server.getAddress().getPort() + "/token";
    }

    String keys() {
        return "http://localhost:" + server.getAddress().getPort() + "/keys";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
