package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoQueryException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class LinksTest {
  @Test
  void failureSaysWhoseFaultItIs() {
    var server = new ServerAddress();
    assertTrue(Links.isAway(new MongoTimeoutException("nobody there")));
    for (int code : new int[] {91, 11600, 11602, 10107}) {
      var answer = new BsonDocument("code", new BsonInt32(code));
      assertTrue(Links.isAway(new MongoQueryException(answer, server)), "code " + code);
      assertTrue(Links.isAway(new MongoCommandException(answer, server)), "code " + code);
    }
    assertFalse(Links.isAway(new MongoCommandException(new BsonDocument(), server)));
    assertFalse(Links.isAway(new IllegalStateException()));
  }
}
