package org.samewire.shortener;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class LinksTest {
  @Test
  void failureSaysWhoseFaultItIs() {
    var server = new ServerAddress();
    assertTrue(Links.isAway(new MongoTimeoutException("nobody there")));
    assertTrue(Links.isAway(new MongoNotPrimaryException(new BsonDocument(), server)));
    assertFalse(Links.isAway(new MongoCommandException(new BsonDocument(), server)));
    assertFalse(Links.isAway(new IllegalStateException()));
  }
}
